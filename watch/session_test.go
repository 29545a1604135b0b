package watch

import (
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

func TestSessionSeesRunsOfBothScopes(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("team")
	p.make(aRun(t, "", "both-a", "both", "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "team", "both-b", "both", "Run", "UpdateRunWaiting"))
	p.make(anApproval(t, "", "both-a", "prod"))
	p.make(anApproval(t, "team", "both-b", "prod"))

	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser), Context: "demo", User: "me"})
	snap := until(t, s, "both runs live", func(s *engine.Snapshot) bool {
		a := named(s, engine.KindClusterStagedUpdateRun, "", "both-a")
		b := named(s, engine.KindStagedUpdateRun, "team", "both-b")
		return live(s) && a != nil && b != nil && !a.Partial && !b.Partial && s.Hub.User.String() == hub.ViewerUser
	})
	for _, r := range []*engine.RunView{
		named(snap, engine.KindClusterStagedUpdateRun, "", "both-a"), named(snap, engine.KindStagedUpdateRun, "team", "both-b"),
	} {
		if r.Word != engine.WordApproval {
			t.Errorf("%v is %v, want APPROVAL", r.ID.Title(), r.Word)
		}
	}
	if !snap.WritesOff.IsZero() {
		t.Errorf("writes off while live: %v", snap.WritesOff)
	}
	// A new run, a change and a deletion come by themselves.
	c := p.make(aRun(t, "", "both-c", "both-c", "Initialize", "UpdateRunWaiting"))
	until(t, s, "the new run", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c") != nil
	})
	c = p.put(p.refresh(c, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Run" }))
	until(t, s, "state Run", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c").State.String() == "Run"
	})
	p.remove(c)
	until(t, s, "the run gone", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c") == nil
	})
}
