package act

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// look returns the Snapshot of one situation, after change was made to it.
func look(t testing.TB, name, ns string, change func(w *world.World, id engine.ID)) (*engine.Snapshot, engine.ID, time.Time) {
	t.Helper()
	s := situation.All(t)[name]
	w, id := s.World(t, ns)
	if change != nil {
		change(w, id)
	}
	now := situation.Moment(t, s.Now)
	snap, _ := observe.Observe(nil, w, world.Changed{}, now)
	return snap, id, now
}

// TestRefused holds the refusals that do not come from the run's phase; those
// stand in testdata.
func TestRefused(t *testing.T) {
	approval := "approval-before"
	tests := []struct {
		name      string
		situation string
		act       engine.Act
		change    func(w *world.World, id engine.ID)
		run       func(id engine.ID) engine.ID
		why, hint string
	}{
		{name: "loading", situation: approval, act: engine.ActApprove, change: func(w *world.World, _ engine.ID) { w.Link.State = engine.LinkLoading }, why: "still loading", hint: "wait until everything is loaded"},
		{name: "reconnecting", situation: approval, act: engine.ActApprove, change: func(w *world.World, _ engine.ID) { w.Link.State = engine.LinkReconnecting }, why: "connection to the hub is broken", hint: "wait until the connection is live"},
		{name: "stale", situation: approval, act: engine.ActStop, change: func(w *world.World, _ engine.ID) { w.Link.State = engine.LinkStale }, why: "the data may be old", hint: "wait until the connection is live"},
		{name: "refused", situation: approval, act: engine.ActStop, change: func(w *world.World, _ engine.ID) {
			w.Link = engine.Link{State: engine.LinkRefused, Hint: engine.Lit("log in")}
		}, why: "the API server rejects this user", hint: "log in"},
		{name: "login failed", situation: approval, act: engine.ActStop, change: func(w *world.World, _ engine.ID) {
			w.Link = engine.Link{State: engine.LinkRefused, LoginFailed: true, Hint: engine.Lit("log in")}
		}, why: "the login to the hub failed", hint: "log in"},
		{name: "a link state of the future", situation: approval, act: engine.ActStop, change: func(w *world.World, _ engine.ID) { w.Link.State = 99 }, why: "unknown", hint: "wait"},
		{name: "read-only", situation: approval, act: engine.ActApprove, change: func(w *world.World, _ engine.ID) { w.Settings.ReadOnly = engine.Lit("started with --read-only") }, why: "started with --read-only"},
		{name: "no run chosen", situation: approval, act: engine.ActApprove, run: func(engine.ID) engine.ID { return engine.ID{} }, why: "no run is selected"},
		{name: "the run was deleted", situation: approval, act: engine.ActApprove, run: func(id engine.ID) engine.ID { return id.Beside(id.Kind(), id.RawNamespace(), "other", "u") }, why: "other was deleted"},
		{name: "made again under its name", situation: approval, act: engine.ActApprove, run: func(id engine.ID) engine.ID { return id.Beside(id.Kind(), id.RawNamespace(), id.RawName(), "older") }, why: "deleted and created again"},
		{name: "no such act", situation: approval, act: engine.ActNone, why: "unknown act"},
		{name: "not initialized", situation: "pending", act: engine.ActApprove, why: "not initialized yet"},
		{name: "not initialized, start", situation: "pending", act: engine.ActRun, change: func(w *world.World, id engine.ID) {
			run := w.Runs[id].DeepCopy()
			run.Spec.State = placement.StateInitialize
			w.Runs[id] = run
		}, why: "the run is not initialized yet", hint: "wait until it is READY"},
		{name: "in Initialize with stages begun", situation: "updating", act: engine.ActStop, change: func(w *world.World, id engine.ID) {
			run := w.Runs[id].DeepCopy()
			run.Spec.State = placement.StateInitialize
			w.Runs[id] = run
		}, why: "its state is Initialize; the API server rejects Stop for it"},
		{name: "a state of the future", situation: "updating", act: engine.ActStop, change: func(w *world.World, id engine.ID) {
			run := w.Runs[id].DeepCopy()
			run.Spec.State = "Abandon"
			w.Runs[id] = run
		}, why: "state Abandon belongs to an older API version"},
		{name: "requests may not be read", situation: approval, act: engine.ActApprove, change: func(w *world.World, _ engine.ID) { clear(w.Approvals) }, why: "not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, id, now := look(t, tt.situation, "", tt.change)
			if tt.run != nil {
				id = tt.run(id)
			}
			i, r := Propose(s, tt.act, id, now)
			if !r.Refused() || !strings.Contains(r.Why.String(), tt.why) || !strings.Contains(r.Hint.String(), tt.hint) {
				t.Errorf("got %q, %q; want %q, %q", r.Why, r.Hint, tt.why, tt.hint)
			}
			if i.Act != engine.ActNone || !i.Target.IsZero() {
				t.Errorf("a refused act has an intent: %+v", i)
			}
		})
	}
	if _, r := Propose(nil, engine.ActStop, engine.ID{}, time.Unix(1, 0)); !r.Refused() {
		t.Error("an act on nothing is possible")
	}
}

func TestIntent(t *testing.T) {
	for scope, ns := range map[string]string{"cluster": "", "namespaced": "team-a"} {
		t.Run("approve/"+scope, func(t *testing.T) {
			s, id, now := look(t, "approval-before", ns, nil)
			i, r := Propose(s, engine.ActApprove, id, now)
			if r.Refused() {
				t.Fatal(r.Why)
			}
			tns, name, uid := i.Target.Raw()
			version, generation, state := i.Seen()
			if i.Run != id || tns != ns || name != "r1-before-prod" || uid != "u-r1-before-prod" ||
				version != "55" || generation != 1 || state != "Run" || i.Stage() != "prod" || i.WantState() != "" || i.Repair() {
				t.Errorf("what was seen: %+v", i)
			}
			if !i.Irreversible || i.Confirm.String() != "prod" {
				t.Errorf("irreversible %v, confirmed by %q", i.Irreversible, i.Confirm)
			}
			if want := i.Target.Kind().String() + " " + i.Target.Title().String() + ", generation 1"; i.Object.String() != want {
				t.Errorf("object %q, want %q", i.Object, want)
			}
		})
		t.Run("stop/"+scope, func(t *testing.T) {
			s, id, now := look(t, "updating", ns, nil)
			i, r := Propose(s, engine.ActStop, id, now)
			version, generation, state := i.Seen()
			if r.Refused() || i.Target != id || i.Run != id || i.WantState() != "Stop" || i.Irreversible || i.Confirm.String() != "r1" ||
				version != "71" || generation != 1 || state != "Run" {
				t.Errorf("%+v %+v", i, r)
			}
		})
	}
	s, id, now := look(t, "not-accepted", "", nil)
	if i, _ := Propose(s, engine.ActApprove, id, now); !i.Repair() {
		t.Error("approving a request that was not accepted is no repair")
	}
}

func TestRivalsAreNamed(t *testing.T) {
	competing := func(state placement.State, conds ...metav1.Condition) func(w *world.World, id engine.ID) {
		return func(w *world.World, id engine.ID) {
			o := situation.Small(w, id.Kind(), id.RawNamespace(), "r2", "shop", conds...)
			w.Runs[o].Spec.State = state
			w.Runs[o].Status.ResourceSnapshotIndexUsed = "2"
			situation.Small(w, id.Kind(), id.RawNamespace(), "elsewhere", "other")
		}
	}
	t0 := time.Unix(1, 0)
	ok := situation.Is("Initialized", "True", t0)
	tests := []struct {
		name   string
		change func(w *world.World, id engine.ID)
		want   string
	}{
		{"running", competing(placement.StateRun, ok), "Run r2 (RUNNING, snapshot 2) of this placement is unfinished"},
		{"parked", competing(placement.StateInitialize, ok), ""},
		{"done", competing(placement.StateRun, ok, situation.Is("Succeeded", "True", t0)), ""},
		{"failed", competing(placement.StateRun, ok, situation.Is("Succeeded", "False", t0)), ""},
		{"same snapshot", func(w *world.World, id engine.ID) {
			competing(placement.StateRun, ok)(w, id)
			mine := w.Runs[id].DeepCopy()
			mine.Status.ResourceSnapshotIndexUsed = "2"
			w.Runs[id] = mine
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, id, now := look(t, "ready", "", tt.change)
			i, _ := Propose(s, engine.ActRun, id, now)
			if got := engine.Join(i.Warn, " ").String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A resume fails when another run holds a cluster that this run is updating.
func TestResumeOfPreemptedClusters(t *testing.T) {
	s, id, now := look(t, "preempted-by-binding", "", func(w *world.World, id engine.ID) {
		run := w.Runs[id].DeepCopy()
		run.Spec.State = placement.StateStop
		w.Runs[id] = run
	})
	i, no := Propose(s, engine.ActRun, id, now)
	if got := engine.Join(i.Warn, " ").String(); !strings.Contains(got, "Run r2 holds a cluster that is still updating: this run fails when it resumes") {
		t.Errorf("refusal %v, warnings %q", no, got)
	}
	if got := engine.Join(i.Effect, " ").String(); strings.Contains(got, "as before") {
		t.Errorf("effect %q", got)
	}
}

// TestEquivalentKubectlCommand runs each twin in a shell whose kubectl prints its words, and checks
// that they are the ones meant, whatever the names hold.
func TestEquivalentKubectlCommand(t *testing.T) {
	conds := func(types ...string) func(w *world.World, _ engine.ID) {
		return func(w *world.World, _ engine.ID) {
			for id, a := range w.Approvals {
				b := a.DeepCopy()
				for _, typ := range types {
					b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{Type: typ, Status: "False", Reason: "x"})
				}
				w.Approvals[id] = b
			}
		}
	}
	value := `{"lastTransitionTime":"2026-03-02T10:09:00Z","message":"approved","observedGeneration":1,"reason":"approved","status":"True","type":"Approved"}`
	tests := []struct {
		name, situation, ns string
		act                 engine.Act
		change              func(w *world.World, id engine.ID)
		want                []string
	}{
		{"stop", "updating", "", engine.ActStop, nil, []string{"--context", "hub a", "patch", "clusterstagedupdateruns", "r1", "--type=merge", "-p", `{"spec":{"state":"Stop"}}`}},
		{"resume in a namespace", "stopped", "team-a", engine.ActRun, nil, []string{"--context", "hub a", "-n", "team-a", "patch", "stagedupdateruns", "r1", "--type=merge", "-p", `{"spec":{"state":"Run"}}`}},
		{"no context", "updating", "", engine.ActStop, func(w *world.World, _ engine.ID) { w.Hub.Context = engine.Text{} }, []string{"patch", "clusterstagedupdateruns", "r1", "--type=merge", "-p", `{"spec":{"state":"Stop"}}`}},
		{"hostile context", "updating", "", engine.ActStop, func(w *world.World, _ engine.ID) { w.Hub.Context = engine.Clean("a'; rm -rf $HOME #\n") }, []string{"--context", `a'; rm -rf $HOME #\x0a`, "patch", "clusterstagedupdateruns", "r1", "--type=merge", "-p", `{"spec":{"state":"Stop"}}`}},
		{"first approval", "approval-before", "", engine.ActApprove, nil, []string{"--context", "hub a", "patch", "clusterapprovalrequests", "r1-before-prod", "--subresource=status", "--type=merge", "-p", `{"status":{"conditions":[` + value + `]}}`}},
		{"in place of a wrong one", "not-accepted", "team-a", engine.ActApprove, nil, []string{"--context", "hub a", "-n", "team-a", "patch", "approvalrequests", "r1-before-prod", "--subresource=status", "--type=merge", "-p", `{"status":{"conditions":[` + value + `]}}`}},
		{"beside another condition", "approval-before", "", engine.ActApprove, conds("Reviewed"), []string{"--context", "hub a", "patch", "clusterapprovalrequests", "r1-before-prod", "--subresource=status", "--type=json", "-p", `[{"op":"add","path":"/status/conditions/-","value":` + value + `}]`}},
		{"behind another condition", "approval-before", "", engine.ActApprove, conds("Reviewed", "Approved"), []string{"--context", "hub a", "patch", "clusterapprovalrequests", "r1-before-prod", "--subresource=status", "--type=json", "-p", `[{"op":"test","path":"/status/conditions/1/type","value":"Approved"},{"op":"replace","path":"/status/conditions/1","value":` + value + `}]`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, id, now := look(t, tt.situation, tt.ns, tt.change)
			i, r := Propose(s, tt.act, id, now)
			if r.Refused() {
				t.Fatal(r.Why)
			}
			cmd := exec.Command("/bin/sh", "-c", `kubectl() { for w; do printf '%s\0' "$w"; done; }; `+i.Kubectl.String())
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", i.Kubectl, err)
			}
			got := strings.TrimSuffix(string(out), "\x00")
			if got != strings.Join(tt.want, "\x00") {
				t.Errorf("%s\ngot  %q\nwant %q", i.Kubectl, strings.Split(got, "\x00"), tt.want)
			}
			if patch := tt.want[len(tt.want)-1]; !json.Valid([]byte(patch)) {
				t.Errorf("not JSON: %s", patch)
			}
		})
	}
}
