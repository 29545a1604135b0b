package act

import (
	"cmp"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestAccess(t *testing.T) {
	yes, no := engine.Access{}, engine.Access{}
	cluster := engine.Needs(engine.ActApprove, engine.KindClusterStagedUpdateRun, "ignored")
	team := engine.Needs(engine.ActApprove, engine.KindStagedUpdateRun, "team-a")
	if got, want := team.Text().String(), "update approvalrequests/status in namespace team-a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	yes = yes.With(cluster, engine.GrantYes).With(team.In(""), engine.GrantYes).With(team, engine.GrantNo)
	no = no.With(cluster, engine.GrantNo).With(team.In(""), engine.GrantNo).With(team, engine.GrantYes)
	tests := []struct {
		name string
		a    engine.Access
		r    engine.Right
		want engine.Grant
	}{
		{"nothing known", engine.Access{}, cluster, engine.GrantUnknown},
		{"granted", yes, cluster, engine.GrantYes},
		{"refused", no, cluster, engine.GrantNo},
		{"everywhere is here too", yes, team, engine.GrantYes},
		{"not everywhere, but here", no, team, engine.GrantYes},
		{"not everywhere, elsewhere unknown", no, team.In("team-b"), engine.GrantUnknown},
		{"another verb", yes, engine.Needs(engine.ActRun, engine.KindClusterStagedUpdateRun, ""), engine.GrantUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Of(tt.r); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestGuardKnowsRights(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		for act, missing := range map[engine.Act]string{
			engine.ActApprove: "update %sapprovalrequests/status", engine.ActStop: "patch %sstagedupdateruns",
			engine.ActClone: "create %sstagedupdateruns", engine.ActDelete: "delete %sstagedupdateruns",
		} {
			scope := "cluster"
			if ns != "" {
				scope = ""
			}
			missing = strings.ReplaceAll(missing, "%s", scope)
			deny := func(w *world.World, id engine.ID) {
				w.Hub.User = engine.Lit("oncall")
				w.Access = w.Access.With(engine.Needs(act, id.Kind(), ns), engine.GrantNo)
			}
			s, id, now := look(t, "approval-before", ns, deny)
			i, r := Propose(s, act, id, now)
			if !strings.Contains(r.Why.String(), "oncall may not "+missing) || r.Hint.IsZero() || i.Act != engine.ActNone {
				t.Errorf("%v in %q: %+v, %q", act, ns, r, i.Act)
			}
			s, id, now = look(t, "approval-before", ns, nil)
			if _, r := Propose(s, act, id, now); r.Refused() {
				t.Errorf("%v in %q is refused although nothing is known: %v", act, ns, r.Why)
			}
		}
	}
}

func TestProtected(t *testing.T) {
	for _, act := range []engine.Act{engine.ActApprove, engine.ActStop, engine.ActClone, engine.ActDelete} {
		s, id, now := look(t, "approval-before", "", func(w *world.World, _ engine.ID) {
			w.Settings.Protected, w.Hub.Context = true, engine.Lit("hub-prod")
		})
		i, r := Propose(s, act, id, now)
		if r.Refused() || !i.Typed() || !i.Protected || i.Confirm.String() != "hub-prod" {
			t.Errorf("%v: typed %v, confirmed by %q, %v", act, i.Typed(), i.Confirm, r.Why)
		}
	}
}

func TestDelete(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		s, id, now := look(t, "updating", ns, nil)
		i, r := Propose(s, engine.ActDelete, id, now)
		if r.Refused() || i.Target != id || !i.Irreversible || i.Confirm != id.Name() || i.WantState() != "" {
			t.Fatalf("%+v, %+v", i, r)
		}
		text := engine.Join(append(append(i.Effect, i.Warn...), i.Undo, i.Kubectl), " ").String()
		for _, want := range []string{"Bindings are not changed", "updating", "continue", "unfinished", "cannot be undone", " delete "} {
			if !strings.Contains(text, want) {
				t.Errorf("%q lacks %q", text, want)
			}
		}
	}
	for _, name := range []string{"done", "init-failed", "stopped", "pending"} {
		if _, known := situation.All(t)[name]; !known {
			continue
		}
		s, id, now := look(t, name, "", nil)
		if _, r := Propose(s, engine.ActDelete, id, now); r.Refused() {
			t.Errorf("%s: %v", name, r.Why)
		}
	}
}

func TestClone(t *testing.T) {
	busy := func(w *world.World, id engine.ID) {
		situation.Small(w, id.Kind(), id.RawNamespace(), "r2", "shop")
		w.Runs[situation.Small(w, id.Kind(), id.RawNamespace(), "r3", "shop")].Spec.State = placement.StateRun
	}
	tests := []struct {
		name   string
		change func(*world.World, engine.ID)
		c      Choice
		why    string
		run    string
		index  string
		state  string
		says   string
		not    string
		// same takes the snapshot of the run; place and strategy are the run's
		// where they are empty.
		same            bool
		place, strategy string
	}{
		{name: "newest", run: "r2", state: "Initialize", says: "newest resources"},
		{name: "names that are taken", change: busy, run: "r4", state: "Initialize", says: "Run r3"},
		{name: "at once", c: Choice{Start: true}, run: "r2", state: "Run", says: "starts as soon as it is initialized"},
		{name: "the same", same: true, run: "r2", index: "used", state: "Initialize", says: "snapshot 3 (that of this run)"},
		{name: "an old one", c: Choice{Snapshot: engine.Lit("12")}, run: "r2", index: "12", state: "Initialize", says: "rolls out snapshot 12 of placement"},
		{
			name: "another placement", c: Choice{Placement: engine.Lit("other"), Strategy: engine.Lit("slow"), Snapshot: engine.Lit("1")}, run: "other-r1", index: "1",
			place: "other", strategy: "slow", state: "Initialize", says: "snapshot 1 of placement other, strategy slow", not: "This run",
		},
		{
			name: "another placement with a run of its own", change: func(w *world.World, id engine.ID) {
				w.Runs[situation.Small(w, id.Kind(), id.RawNamespace(), "o1", "other")].Spec.State = placement.StateRun
			}, c: Choice{Placement: engine.Lit("other")}, run: "other-r1", place: "other", state: "Initialize", says: "Run o1", not: "This run",
		},
		{name: "no placement", c: Choice{Placement: engine.Lit("Other_")}, why: "invalid name"},
		{name: "no strategy", c: Choice{Strategy: engine.Lit("two words")}, why: "invalid name"},
		{name: "no index", c: Choice{Snapshot: engine.Lit("newest")}, why: "invalid snapshot index"},
		{name: "an index below nought", c: Choice{Snapshot: engine.Lit("-1")}, why: "invalid snapshot index"},
		{name: "an index with a sign", c: Choice{Snapshot: engine.Lit("+1")}, why: "invalid snapshot index"},
		{name: "a name", c: Choice{Name: engine.Lit("fix.1")}, run: "fix.1", state: "Initialize", says: "This run (RUNNING) is unfinished"},
		{name: "taken", change: busy, c: Choice{Name: engine.Lit("r2")}, why: "run r2 already exists"},
		{name: "an older snapshot", c: Choice{Snapshot: engine.Lit("2")}, run: "r2", state: "Initialize", index: "2", says: "Snapshot 2 is older than snapshot 3 of this run: the new run is a rollback."},
		{name: "its own name", c: Choice{Name: engine.Lit("r1")}, why: "run r1 already exists"},
		{name: "no name", c: Choice{Name: engine.Lit("Web_1")}, why: "invalid name"},
		{name: "a name like a flag", c: Choice{Name: engine.Lit("-f")}, why: "invalid name"},
		{name: "too long", c: Choice{Name: engine.Clean(strings.Repeat("a", 64))}, why: "64 characters"},
	}
	for _, tt := range tests {
		for _, ns := range []string{"", "team-a"} {
			t.Run(tt.name+"/"+ns, func(t *testing.T) {
				s, id, _ := look(t, "updating", ns, tt.change)
				v := s.Find(id)
				if tt.same {
					tt.c.Snapshot = v.UsedSnapshot()
					tt.index = v.Index.String()
				}
				i, r := ProposeClone(s, id, tt.c)
				if !strings.Contains(r.Why.String(), tt.why) || r.Refused() != (tt.why != "") {
					t.Fatalf("refused with %q, want %q", r.Why, tt.why)
				}
				if r.Refused() {
					return
				}
				name, place, strategy, index, state := i.Create()
				if name != tt.run || place != cmp.Or(tt.place, v.PlacementRaw.Value()) || strategy != cmp.Or(tt.strategy, v.Strategy.String()) || strategy == "" || state != tt.state || index != tt.index {
					t.Errorf("creates %v", i.create)
				}
				text := strings.ReplaceAll(engine.Join(append(i.Effect, i.Warn...), " ").String(), "team-a/", "")
				if !strings.Contains(text, tt.says) || tt.not != "" && strings.Contains(text, tt.not) {
					t.Errorf("%q, want %q, not %q", text, tt.says, tt.not)
				}
				if i.Run != id || i.Target != id.Beside(id.Kind(), ns, tt.run, "") || i.Confirm.String() != tt.run || !i.Irreversible {
					t.Errorf("%+v", i)
				}
				// The twin must survive the shell.
				out, err := exec.CommandContext(t.Context(), "sh", "-c", "kubectl() { cat; }; "+i.Kubectl.String()).CombinedOutput()
				if err != nil || !strings.Contains(string(out), `"name":"`+tt.run+`"`) || !strings.Contains(string(out), `"placementName":"`+place+`"`) {
					t.Errorf("%s gives %s, %v", i.Kubectl, out, err)
				}
			})
		}
	}
}

// Names that are taken are passed over in one pass over the runs: a key waits for it.
func TestFreeNameAmongMany(t *testing.T) {
	row := func(kind engine.Kind, ns string, names ...string) *engine.Snapshot {
		s := &engine.Snapshot{}
		for _, n := range names {
			s.Runs = append(s.Runs, &engine.RunView{ID: engine.NewID(kind, ns, n, "u-"+n)})
		}
		return s
	}
	of := engine.NewID(engine.KindStagedUpdateRun, "team", "web-r9", "u")
	left := row(engine.KindStagedUpdateRun, "team", "web-r9", "web-r10")
	left.Outlived = []engine.OutlivedApproval{{Request: engine.NewID(engine.KindApprovalRequest, "team", "web-r11-before-prod", ""), Run: engine.NewRaw("web-r11")}}
	for _, tt := range []struct {
		name string
		s    *engine.Snapshot
		want string
	}{
		{"the next", row(engine.KindStagedUpdateRun, "team", "web-r9", "web-r11"), "web-r10"},
		{"a gap", row(engine.KindStagedUpdateRun, "team", "web-r11", "web-r10", "web-r13", "web-r9"), "web-r12"},
		{"other rows of names", row(engine.KindStagedUpdateRun, "team", "web-r010", "web-10", "r10", "web-r10-2"), "web-r10"},
		{"another namespace", row(engine.KindStagedUpdateRun, "other", "web-r10"), "web-r10"},
		{"another kind", row(engine.KindClusterStagedUpdateRun, "", "web-r10"), "web-r10"},
		{"an approval that is left", left, "web-r12"},
	} {
		if got := freeName(tt.s, of); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	padded := row(engine.KindStagedUpdateRun, "team", "web-0099", "web-0100", "web-101", "web-00101", "web-0102")
	if got := freeName(padded, engine.NewID(engine.KindStagedUpdateRun, "team", "web-0099", "u")); got != "web-0101" {
		t.Errorf("with zeros before the number: %s", got)
	}
	costs := func(n int) float64 {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("web-r", i)
		}
		s := row(engine.KindStagedUpdateRun, "team", names...)
		return testing.AllocsPerRun(3, func() { freeName(s, of) })
	}
	if few, many := costs(20), costs(2000); many > few+5 {
		t.Errorf("%.0f allocations for 20 runs, %.0f for 2,000", few, many)
	}
}

func TestFreeName(t *testing.T) {
	long := strings.Repeat("a", 63)
	tests := []struct{ name, in, want string }{
		{"plain", "web", "web-2"},
		{"numbered", "web-r9", "web-r10"},
		{"zero", "example-run-0", "example-run-1"},
		{"zeros", "example-run-00", "example-run-01"},
		{"zeros before a number", "bench-0399", "bench-0400"},
		{"zeros, and one digit more", "bench-099", "bench-100"},
		{"zeros, and no room for the width", "bench-09", "bench-10"},
		{"only digits", "2026", "2026-2"},
		{"a version", "web-v1.2", "web-v1.2-2"},
		{"a date", "web-20261121", "web-20261121-2"},
		{"long", long, long[:61] + "-2"},
		{"long and numbered", long[:62] + "9", long[:60] + "-10"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := freeName(&engine.Snapshot{}, engine.NewID(engine.KindClusterStagedUpdateRun, "", tt.in, "u"))
			if got != tt.want || len(got) > nameLimit || !dnsName(got) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
