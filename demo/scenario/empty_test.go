package scenario

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// Without an engine of its own a fleet leaves every run as its author wrote it, and what
// was there before the runs as it was seeded; an engine from outside then finds all that
// it needs.
func TestAFleetWithoutEngine(t *testing.T) {
	t.Parallel()
	h := newHubWith(t, hub.Options{KeepRequests: 10000})
	f, err := startOn(t.Context(), h, nil, healthy(), Options{Timing: quick(), NoEngine: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	}()
	o := lookAt(t, h)
	o.await("the run is seeded", func() string {
		if o.run("", "checkout-r1").Name == "" {
			return "not yet"
		}
		return ""
	})
	o.await("all Works are seeded", func() string {
		list, err := o.Hub.Resource(o.Kinds.Works.GVR).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		reported := 0
		for _, w := range list.Items {
			if _, found := w.Object["status"]; found {
				reported++
			}
		}
		if clusters := len(healthy().Placements[0].Clusters) + len(healthy().Placements[1].Clusters); reported < clusters {
			return fmt.Sprintf("%d of %d", reported, clusters)
		}
		return ""
	})
	// Several passes of an engine, of the members and of the work generator would have
	// been over by then.
	<-time.After(5 * quick().ClusterCheck)
	if run := o.run("", "checkout-r1"); len(run.Status.Conditions) > 0 || len(run.Finalizers) > 0 {
		t.Fatalf("somebody drives the run: %s", describe(run.Status.Conditions))
	}
	requests, err := h.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]int{}
	for _, r := range requests {
		if r.Subresource == "status" && r.Code == http.StatusOK && (r.Resource == "works" || strings.HasSuffix(r.Resource, "bindings")) {
			written[r.URI]++
		}
	}
	for object, times := range written {
		if times > 1 {
			t.Errorf("%s was written %d times", object, times)
		}
	}
	defer engineUntilStopped(t, h.AdminConfig())()
	o.awaitRun("", "checkout-r1", "Succeeded=True/UpdateRunSucceeded")
}

func TestTheEmptyScenario(t *testing.T) {
	t.Parallel()
	s, err := Named("empty")
	if err != nil {
		t.Fatal(err)
	}
	f := play(t, s)
	o := lookAt(t, f.Hub())
	for _, m := range s.Members {
		if got := live(t, o.Members, "", m.Name); got.Labels[labelRing] != m.Ring {
			t.Errorf("%s has labels %v", m.Name, got.Labels)
		}
	}
	run := &placement.StagedUpdateRun{}
	run.Name, run.Spec = "mine", placement.UpdateRunSpec{PlacementName: "none", StagedRolloutStrategyName: "none", State: placement.StateInitialize}
	if _, err := o.Runs.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	// Its engine looks after what others apply.
	o.awaitRun("", "mine", "Initialized=False/UpdateRunInitializedFailed")
}
