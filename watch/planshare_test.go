package watch

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
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

	var s *engine.Snapshot
	reads := map[string]int{}
	for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) (err error) {
		s, err = Once(t.Context(), Config{REST: config}, Reading{})
		return err
	}) {
		reads[r.URL.Path+" "+r.URL.Query().Get("limit")]++ // streams ask for other pages
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
