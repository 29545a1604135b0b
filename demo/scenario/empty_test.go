package scenario

import (
	"log/slog"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Without an engine of its own a fleet leaves every run as its author wrote it;
// one from outside then finds all that it needs.
func TestAFleetWithoutEngine(t *testing.T) {
	t.Parallel()
	h := newHub(t)
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
	// Several of the engine's passes would have been over by then.
	<-time.After(5 * quick().ClusterCheck)
	if run := o.run("", "checkout-r1"); len(run.Status.Conditions) > 0 || len(run.Finalizers) > 0 {
		t.Fatalf("somebody drives the run: %s", describe(run.Status.Conditions))
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
