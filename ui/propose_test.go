package ui

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// fakePropose allows what the samples need, with words like the real ones.
func fakePropose(s *engine.Snapshot, a engine.Act, run engine.ID, _ time.Time) (act.Intent, engine.Refusal) {
	no := func(why string, hint engine.Text) (act.Intent, engine.Refusal) {
		return act.Intent{}, engine.Refusal{Why: txt("%s", why), Hint: hint}
	}
	v := s.Find(run)
	switch {
	case v == nil:
		return no("the run is not listed.", engine.Text{})
	case !s.WritesOff.IsZero():
		return no(s.WritesOff.String()+".", engine.Text{})
	}
	i := act.Intent{Act: a, Run: run, Target: run, Object: txt("%s %s, generation %d", run.Kind(), run.Title(), v.Generation), Confirm: run.Name()}
	switch a {
	case engine.ActApprove:
		if st := v.Current(); v.Word == engine.WordApproval && st != nil {
			g := st.After[0]
			i.Target, i.Object = g.Request, txt("ClusterApprovalRequest %s, generation %d", g.Name, g.Generation)
			i.Title, i.Irreversible, i.Confirm = txt("Approve %s, after stage %s", run.Title(), st.Name), true, st.Name
			i.Effect = []engine.Text{txt("Stage prod starts: 8 clusters, 3 at once: member11, member12, member13 first.")}
			i.Warn = []engine.Text{txt("The timed wait of canary still runs; prod starts when both are over.")}
			i.Undo = engine.Lit("Cannot be taken back; {stop} stops clusters that have not started.")
			i.Kubectl = txt("kubectl --context hub-prod-weu patch clusterapprovalrequests pay-api-r41-after-canary --subresource=status --type=merge -p '{\"status\":{\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\",\"observedGeneration\":1}]}}'")
			return i, engine.Refusal{}
		}
		return no("no approval is open in this run.", engine.Text{})
	case engine.ActStop:
		if v.Word == engine.WordRunning || v.Word == engine.WordStuck || v.Word == engine.WordApproval {
			i.Title = txt("Stop %s", run.Title())
			i.Effect = []engine.Text{txt("No further cluster starts; %d in flight finish.", v.Updating+v.Stuck)}
			i.Undo, i.Kubectl = txt("R resumes it."), txt("kubectl --context hub-prod-weu patch clusterstagedupdateruns %s --type=merge -p '{\"spec\":{\"state\":\"Stop\"}}'", run.Name())
			return i, engine.Refusal{}
		}
		return no("the run is not running.", engine.Text{})
	case engine.ActRun:
		if v.Word == engine.WordStopped || v.Word == engine.WordReady {
			i.Title = txt("Run %s", run.Title())
			i.Effect, i.Undo, i.Kubectl = []engine.Text{txt("It starts.")}, engine.Lit("{stop} stops it."), txt("kubectl patch")
			return i, engine.Refusal{}
		}
	case engine.ActDelete:
		i.Title, i.Irreversible = txt("Delete %s", run.Title()), true
		i.Effect = []engine.Text{txt("The run and its approval requests are deleted. Bindings are not changed.")}
		i.Undo, i.Kubectl = txt("Cannot be taken back."), txt("kubectl --context hub-prod-weu delete clusterstagedupdateruns %s", run.Name())
		return i, engine.Refusal{}
	case engine.ActClone:
		return fakeClone(s, run, act.Choice{})
	}
	return no("the run is already in state Run.", engine.Lit("{stop} stops it."))
}

// fakeClone is the fake of engine.ProposeClone.
func fakeClone(s *engine.Snapshot, run engine.ID, c act.Choice) (act.Intent, engine.Refusal) {
	ns, name, _ := run.Raw()
	switch {
	case s.Find(run) == nil:
		return act.Intent{}, engine.Refusal{Why: txt("the run is not listed.")}
	case !s.WritesOff.IsZero():
		return act.Intent{}, engine.Refusal{Why: txt("%s.", s.WritesOff)}
	}
	if c.Name.IsZero() {
		c.Name = txt("%s-2", name)
	}
	to := engine.NewID(run.Kind(), ns, c.Name.String(), "")
	for _, v := range s.Runs {
		if v.ID.SameName(to) {
			return act.Intent{}, engine.Refusal{Why: txt("run %s already exists", c.Name)}
		}
	}
	what := "the newest resources"
	if !c.Snapshot.IsZero() {
		what = "snapshot " + c.Snapshot.String()
	}
	return act.Intent{
		Act: engine.ActClone, Run: run, Target: to, Irreversible: true, Confirm: c.Name,
		Title: txt("Clone %s into %s", run.Title(), c.Name), Object: txt("%s %s, new", run.Kind(), to.Title()),
		Effect: []engine.Text{txt("It rolls out %s.", what), txt("It is initialized and then waits to be started; no cluster changes before.")},
		Warn:   []engine.Text{txt("This run (STUCK) is unfinished: the new one takes clusters from it when it goes.")},
		Undo:   txt("Deleting the new run ends it."), Kubectl: txt("echo '{}' | kubectl create -f -"),
	}, engine.Refusal{}
}
