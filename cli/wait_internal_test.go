package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/until"
	"github.com/stagewatch/stagewatch/engine"
)

// TestWaitEnds holds what ends a wait and with which code.
func TestWaitEnds(t *testing.T) {
	run := func(w engine.Word, stages ...engine.StageView) *engine.RunView {
		return &engine.RunView{
			ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r2", "u"), Word: w, Stages: stages, At: -1, Done: 2, Total: 7,
			Why: engine.Diagnosis{What: engine.Lit("it has its reasons"), Next: engine.Lit("do something")},
		}
	}
	stage := func(name string, s engine.StageState) engine.StageView {
		return engine.StageView{Name: engine.Clean(name), State: s}
	}
	late := run(engine.WordRunning)
	late.Late = true
	fails := func(w engine.Word) *engine.RunView {
		v := run(w)
		v.Why.Fails = true
		return v
	}
	condition := func(status, observed string) *engine.RunView {
		v := run(engine.WordRunning)
		v.Generation, v.Fields = 2, []engine.Text{engine.Clean(status), engine.Clean(observed)}
		return v
	}
	selects := func(value string) *engine.RunView {
		v := run(engine.WordRunning)
		v.Fields = []engine.Text{engine.Clean(value)}
		return v
	}
	deleting := run(engine.WordDeleting)
	deleting.Late = true
	now := time.Unix(1e9, 0)
	notObserved := func(since time.Duration) *engine.RunView {
		v := run(engine.WordNotObserved)
		v.Since = now.Add(-since)
		return v
	}
	const none = -1 // goes on
	for _, c := range []struct {
		name, until string
		failOn      string
		run         *engine.RunView
		code        int
		says        string
	}{
		{name: "running", run: run(engine.WordRunning), code: none},
		{name: "done", run: run(engine.WordDone), code: exit.OK, says: "shop/pay-r2 is done, 2/7 clusters done"},
		{name: "failed", run: run(engine.WordFailed), code: exit.Failed, says: "shop/pay-r2 failed: it has its reasons"},
		{name: "failed, whatever else is asked", failOn: failNone, run: run(engine.WordInitFailed), code: exit.Failed, says: "pay-r2 failed initialization: "},
		{name: "preempted", run: run(engine.WordPreempted), code: exit.Failed, says: "pay-r2 is preempted: "},
		{name: "stuck", run: run(engine.WordStuck), code: exit.Stuck, says: "pay-r2 is stuck: it has its reasons"},
		{name: "stuck, which may recover", failOn: "approval,stopped", run: run(engine.WordStuck), code: none},
		{name: "approval", run: run(engine.WordApproval), code: exit.Approval, says: "pay-r2 needs approval"},
		{name: "approval that somebody will give", failOn: failStuck, run: run(engine.WordApproval), code: none},
		{name: "approval without effect", run: run(engine.WordNotAccepted), code: exit.Approval, says: "pay-r2 needs approval again: "},
		{name: "stopped", run: run(engine.WordStopped), code: exit.Stopped, says: "is stopped"},
		{name: "never started", run: run(engine.WordReady), code: exit.Stopped, says: "is ready to start"},
		{name: "stopping", run: run(engine.WordStopping), code: none},
		{name: "a timed wait", run: run(engine.WordWaiting), code: none},
		{name: "not observed", run: notObserved(time.Minute - 1), code: none},
		{name: "not observed for long", run: notObserved(time.Minute), code: exit.Stuck, says: "is not observed by the controller: it has its reasons"},
		{name: "not observed for long, which may recover", failOn: failStopped, run: notObserved(time.Minute), code: none},
		{name: "late", run: late, code: exit.Stuck, says: "is running, next step overdue: it has its reasons"},
		{name: "late, which may recover", failOn: "approval,stopped", run: late, code: none},
		{name: "sure to fail after its timed wait", run: fails(engine.WordWaiting), code: exit.Stuck, says: "is waiting and will fail: it has its reasons"},
		{name: "sure to fail when it is initialized", run: fails(engine.WordPending), code: exit.Stuck, says: "is pending and will fail: it has its reasons"},
		{name: "sure to fail when it is approved", failOn: failStuck, run: fails(engine.WordApproval), code: exit.Stuck, says: "pay-r2 needs approval: it has its reasons"},
		{name: "sure to fail when it is resumed", run: fails(engine.WordStopped), code: exit.Stuck, says: "is stopped: it has its reasons"},
		{name: "sure to fail when it is started", run: fails(engine.WordReady), code: exit.Stuck, says: "is ready to start: it has its reasons"},
		{name: "sure to fail when it is resumed, which may be repaired", failOn: failStopped, run: fails(engine.WordStopped), code: exit.Stopped, says: "is stopped: it has its reasons"},
		{name: "sure to fail, which may be repaired", failOn: failStopped, run: fails(engine.WordWaiting), code: none},
		{name: "deleting", run: run(engine.WordDeleting), code: none},
		{name: "for an approval", until: until.Approval, run: run(engine.WordApproval), code: exit.OK, says: "pay-r2 needs approval"},
		{name: "for an approval that will not come", until: until.Approval, run: run(engine.WordDone), code: exit.Failed, says: "is done"},
		{name: "for a change", until: until.Change, run: run(engine.WordRunning), code: none},
		{name: "for a change that came", until: until.Change, run: run(engine.WordStuck), code: exit.OK, says: "is stuck"},
		{name: "for a stage", until: "stage=canary", run: run(engine.WordRunning, stage("canary", engine.StageUpdating)), code: none},
		{name: "for a stage that is done", until: "stage=canary", run: run(engine.WordApproval, stage("canary", engine.StageDone), stage("prod", engine.StageGate)), code: exit.OK, says: "pay-r2 needs approval"},
		{name: "for a stage without clusters", until: "stage=canary", run: run(engine.WordRunning, stage("canary", engine.StageSkipped)), code: exit.OK},
		{name: "for a stage that is not there", until: "stage=canry", run: run(engine.WordRunning, stage("canary", engine.StageUpdating)), code: exit.NotFound, says: "has no stage canry"},
		{name: "for a stage, not initialized", until: "stage=canary", run: run(engine.WordPending), code: none},
		{name: "for a stage of a run that failed", until: "stage=prod", run: run(engine.WordFailed, stage("prod", engine.StageFailed)), code: exit.Failed},
		{name: "for a state", until: "state=stuck", run: run(engine.WordRunning), code: none},
		{name: "for a state that it has", until: "state=STUCK", run: run(engine.WordStuck), code: exit.OK, says: "is stuck"},
		{name: "for one of several states", until: "state=stuck,Not-Accepted", run: run(engine.WordNotAccepted), code: exit.OK},
		{name: "for a failure", until: "state=failed|init-failed", run: run(engine.WordInitFailed), code: exit.OK, says: "failed initialization"},
		{name: "for a state that cannot be reached", until: "state=running", run: run(engine.WordFailed), code: exit.Failed},
		{name: "for a condition that is not there", until: "condition=Succeeded", run: run(engine.WordRunning), code: none},
		{name: "for a condition", until: "condition=succeeded", run: condition("True", "2"), code: exit.OK},
		{name: "for a condition of an earlier generation", until: "condition=Progressing", run: condition("True", "1"), code: none},
		{name: "for Succeeded of an earlier generation, which is final", until: "condition=Succeeded", run: condition("True", "1"), code: exit.OK},
		{name: "for a condition with another status", until: "condition=Succeeded", run: condition("False", "2"), code: none},
		{name: "for a condition that is false", until: "condition=Succeeded=false", run: condition("False", "2"), code: exit.OK},
		{name: "for a JSONPath that selects nothing", until: "jsonpath={.status.x}", run: selects(""), code: none},
		{name: "for a JSONPath that selects something", until: "jsonpath={.status.x}", run: selects("3"), code: exit.OK},
		{name: "for a JSONPath with another value", until: "jsonpath={.status.x}=3", run: selects("30"), code: none},
		{name: "for a JSONPath with the value", until: "jsonpath={.status.x}='3'", run: selects("3"), code: exit.OK},
		{name: "for its deletion", until: until.Delete, run: run(engine.WordDone), code: none},
		{name: "for its deletion, stuck", until: until.Delete, run: run(engine.WordStuck), code: none},
		{name: "for its deletion, overdue", until: until.Delete, run: deleting, code: exit.Stuck},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &waitOptions{until: c.until, failOn: strings.Split(c.failOn, ",")}
			if c.until == "" {
				o.until = until.Done
			}
			if c.failOn == "" {
				o.failOn = []string{failStuck, failApproval, failStopped}
			}
			if err := o.check(); err != nil {
				t.Fatal(err)
			}
			w := &waiting{waitOptions: o, id: c.run.ID, began: standingOf(run(engine.WordRunning))}
			got := w.end(c.run, now)
			switch {
			case got == nil && c.code != none:
				t.Error("goes on")
			case got != nil && (got.Code != c.code || !strings.Contains(got.What.String(), c.says)):
				t.Errorf("ends with %d: %s", got.Code, got.What)
			case got != nil && c.code > exit.Failed && c.code < exit.NotFound && got.Hint != engine.Lit("do something"):
				t.Errorf("hint %q", got.Hint)
			}
		})
	}
}

// What a hint says of the commands of the diagnosis names the command that prints them.
func TestHintOfWaitNamesTheDiagnosis(t *testing.T) {
	for want, id := range map[string]engine.ID{
		"Find who did it (stagewatch explain csur/web-r5).": engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u"),
		"Find who did it (stagewatch explain shop/web-r5).": engine.NewID(engine.KindStagedUpdateRun, "shop", "web-r5", "u"),
	} {
		v := &engine.RunView{ID: id, Word: engine.WordPreempted}
		v.Why.Next = engine.Lit("Find who did it ({diagnose:run the first command}).")
		w := &waiting{waitOptions: new(waitOptions), id: id}
		if f := w.end(v, time.Time{}); f == nil || f.Hint.String() != want {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}

// TestWaitForADeletion: a run that is gone is what --for delete waits for, and the end of any other wait.
func TestWaitForADeletion(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u")
	gone := &engine.Snapshot{Complete: true, Link: engine.Link{State: engine.LinkLive}}
	for of, code := range map[string]int{until.Delete: exit.OK, until.Done: exit.NotFound} {
		o := &waitOptions{until: of}
		if err := o.check(); err != nil {
			t.Fatal(err)
		}
		w := &waiting{waitOptions: o, id: id}
		if f := w.look(gone, nil); f == nil || f.Code != code || f.What.String() != "web-r5 was deleted" {
			t.Errorf("for %s: %+v", of, f)
		}
	}
}

func TestWaitRefusesFlags(t *testing.T) {
	for _, o := range []waitOptions{
		{until: "soon"},
		{until: "stage="},
		{until: "state="},
		{until: "state=stukc"},
		{until: "state=no-run"},
		{until: "condition="},
		{until: "condition=Ready"},
		{until: "jsonpath="},
		{until: "jsonpath={.status"},
		{until: "jsonpath={.status}="},
		{until: "jsonpath={.status}=" + strings.Repeat("x", 65)},
		{until: "done=yes"},
		{until: "state"},
		{until: ""},
		{until: until.Done, failOn: []string{"slow"}},
		{until: until.Done, failOn: []string{failNone, failStuck}},
		{until: until.Done, timeout: -1},
		{until: until.Done, grace: -1},
	} {
		var f *exit.Failure
		if err := o.check(); !errors.As(err, &f) || f.Code != exit.Usage {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestLost: a hub that stays out of reach is reported with what was out of reach.
func TestLost(t *testing.T) {
	for _, tt := range []struct {
		link engine.Link
		code int
		want string
	}{
		{engine.Link{State: engine.LinkReconnecting}, exit.Unreachable, "the hub has been unreachable for 5s: why"},
		{engine.Link{State: engine.LinkRefused}, exit.Forbidden, "the hub has been rejecting this user for 5s: why"},
		{engine.Link{State: engine.LinkRefused, LoginFailed: true}, exit.Forbidden, "the login to the hub has been failing for 5s: why"},
	} {
		tt.link.Err = engine.Lit("why")
		var f *exit.Failure
		if err := lost(&engine.Snapshot{Link: tt.link}, 5*time.Second); !errors.As(err, &f) || f.Code != tt.code || f.What.String() != tt.want {
			t.Errorf("%v, want %d: %s", err, tt.code, tt.want)
		}
	}
}
