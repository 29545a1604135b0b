package watch

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A list without a screen plans each run that is not initialized, and reads once what those
// plans have in common: members, runs, overrides, kinds and the strategy.
func TestOnceReadsOnceWhatPlansHaveInCommon(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	const places = 6
	for i := range places {
		place := fmt.Sprintf("plan-%d", i)
		p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterStagedUpdateRun
metadata: {name: %s-r1}
spec: {placementName: %[2]s, stagedRolloutStrategyName: waves, state: Initialize}`, apiVersion, place))
	}
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterStagedUpdateStrategy
metadata: {name: waves}
spec: {stages: [{name: all}]}`, apiVersion))

	var mu sync.Mutex
	reads := map[string]int{}
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			reads[r.URL.Path+" "+r.URL.Query().Get("limit")]++ // streams ask for other pages
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
	})
	s, err := Once(t.Context(), Config{REST: h.AdminConfig()}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, v := range s.Runs {
		if strings.Contains(v.Why.What.String(), "Placement plan-") && v.WantsPlan() {
			planned++
		}
	}
	if planned != places || len(s.Missing) != 0 {
		t.Fatalf("%d of %d runs are diagnosed by their plan; missing %v", planned, places, s.Missing)
	}
	mu.Lock() // requests of streams that have ended may still arrive
	defer mu.Unlock()
	for _, common := range []string{
		"/apis/cluster.kubernetes-fleet.io/v1beta1/memberclusters 500", "/apis/placement.kubernetes-fleet.io/v1beta1/clusterstagedupdateruns 50",
		"/apis/placement.kubernetes-fleet.io/v1beta1/clusterresourceoverridesnapshots 500", "/apis/placement.kubernetes-fleet.io/v1beta1/resourceoverridesnapshots 500",
		"/apis/placement.kubernetes-fleet.io/v1beta1/clusterstagedupdatestrategies/waves ", "/api ", "/apis ",
	} {
		if n := reads[common]; n != 1 {
			t.Errorf("%s read %d times", common, n)
		}
	}
	if t.Failed() {
		t.Logf("all reads: %v", reads)
	}
}
