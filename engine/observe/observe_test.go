package observe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestObserve(t *testing.T) {
	for name, s := range situation.All(t) {
		for scope, ns := range map[string]string{"cluster": "", "namespaced": "team-a"} {
			t.Run(name+"/"+scope, func(t *testing.T) {
				w, id := s.World(t, ns)
				now := situation.Moment(t, s.Now)
				snap, next := Observe(nil, w, world.Changed{}, now)
				v := snap.Find(id)
				if v == nil {
					t.Fatal("the run has no row")
				}
				compare(&s.Want, t, snap, v, next)
				compareActs(&s.Want, t, snap, id, now)
				if again, _ := Observe(snap, w, world.Changed{}, now); again.Find(id) != v || again.Detail != snap.Detail || again.Seq != snap.Seq+1 {
					t.Error("a second look at the same World made new views")
				}
			})
		}
	}
}

func compare(want *situation.Wanted, t *testing.T, snap *engine.Snapshot, v *engine.RunView, next time.Time) {
	t.Helper()
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	day := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format("15:04:05")
	}
	check("word", v.Word.String(), want.Word)
	check("since", day(v.Since), want.Since)
	check("until", day(v.Until), want.Until)
	if midnight := situation.Moment(t, "00:00:00").AddDate(0, 0, 1); next.Equal(midnight) {
		next = time.Time{} // only the day in a sentence
	}
	check("next look", day(next), want.Next)
	at := ""
	if s := v.Current(); s != nil {
		at = s.Name.String()
	}
	check("at", at, want.At)
	check("counts", counts(v), want.Counts)
	check("stages", strings.Join(stages(v), "; "), strings.Join(want.Stages, "; "))
	check("gates", strings.Join(gates(v, day), "; "), strings.Join(want.Gates, "; "))
	if v.Slow != want.Slow || v.Terminal != want.Terminal {
		t.Errorf("slow %v terminal %v, want %v %v", v.Slow, v.Terminal, want.Slow, want.Terminal)
	}
	preemptedBy := ""
	if !v.PreemptedBy.IsZero() {
		_, name, uid := v.PreemptedBy.Raw()
		preemptedBy = strings.TrimSpace(name + " " + uid)
	}
	check("preempted by", preemptedBy, want.PreemptedBy)
	if want.Coming != "" {
		check("coming", engine.Join(v.Current().Coming, ", ").String(), want.Coming)
	}
	compareDetail(want, t, snap, v)
}

func compareDetail(want *situation.Wanted, t *testing.T, snap *engine.Snapshot, v *engine.RunView) {
	t.Helper()
	d := snap.Detail
	if d == nil || d.Run != v || len(d.Clusters) != len(v.Stages) {
		t.Fatalf("detail does not fit the row: %+v", d)
	}
	var lines []string
	for i, cs := range d.Clusters {
		var names []string
		for _, c := range cs {
			names = append(names, fmt.Sprintf("%s %s", c.Name, c.State))
			if w, ok := want.Conditions[c.Name.String()]; ok && conditionList(c.BindingConditions) != w {
				t.Errorf("conditions of %s: got %q, want %q", c.Name, conditionList(c.BindingConditions), w)
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s", v.Stages[i].Name, strings.Join(names, ", ")))
	}
	for _, w := range want.Clusters {
		if !slices.Contains(lines, w) {
			t.Errorf("clusters: got %q, want %q among them", lines, w)
		}
	}
}

func compareActs(want *situation.Wanted, t *testing.T, snap *engine.Snapshot, id engine.ID, now time.Time) {
	t.Helper()
	acts := map[string]engine.Act{"approve": engine.ActApprove, "run": engine.ActRun, "stop": engine.ActStop}
	for name, w := range want.Acts {
		i, r := act.Propose(snap, acts[name], id, now)
		got := "refused: " + r.Why.String()
		if !r.Refused() {
			got = strings.TrimSuffix(i.Title.String()+" | "+engine.Join(i.Effect, " ").String()+" | warn: "+engine.Join(i.Warn, " ").String(), " | warn: ")
			got = strings.ReplaceAll(got, "team-a/", "")
		}
		for part := range strings.SplitSeq(w, " | ") {
			if !strings.Contains(got, strings.TrimPrefix(part, "warn: ")) {
				t.Errorf("%s: got %q, want it to hold %q", name, got, part)
			}
		}
		if r.Refused() != strings.HasPrefix(w, "refused") {
			t.Errorf("%s: got %q, want %q", name, got, w)
		}
		if r.Refused() && i.Act != engine.ActNone {
			t.Errorf("%s: a refused act has an intent", name)
		}
	}
}

func counts(v *engine.RunView) string {
	s := fmt.Sprintf("%d/%d", v.Done, v.Total)
	for _, c := range []struct {
		n    int
		name string
	}{{v.Updating, "updating"}, {v.Stuck, "stuck"}, {v.Preempted, "preempted"}} {
		if c.n > 0 {
			s += fmt.Sprintf(" %s %d", c.name, c.n)
		}
	}
	return s
}

func stages(v *engine.RunView) []string {
	var out []string
	for _, s := range v.Stages {
		out = append(out, fmt.Sprintf("%s %s %d/%d x%d", s.Name, s.State, s.Done, s.Total, s.AtOnce))
	}
	return out
}

func gates(v *engine.RunView, day func(time.Time) string) []string {
	var out []string
	for _, s := range v.Stages {
		for _, g := range slices.Concat(s.Before, s.After) {
			side := "after"
			if g.Before {
				side = "before"
			}
			line := fmt.Sprintf("%s %s %s", side, s.Name, g.State)
			if g.State == engine.GateNotAccepted || g.State == engine.GateSent {
				line += fmt.Sprintf(" sent %d of %d", g.Sent, g.Generation)
			}
			if !g.Until.IsZero() {
				line += " until " + day(g.Until)
			}
			out = append(out, line)
		}
	}
	return out
}

func conditionList(l engine.BindingConditions) string {
	s := ""
	for _, r := range []engine.BindingCondition{l.RolloutStarted, l.Overridden, l.WorkSynchronized, l.Applied, l.Available, l.DiffReported} {
		s += string("-TFU~"[r.State])
	}
	return s
}

func TestEveryWordHasASituation(t *testing.T) {
	missing := map[string]bool{}
	for _, w := range rules {
		missing[w.word.String()] = true
	}
	for _, s := range situation.All(t) {
		delete(missing, s.Want.Word)
	}
	if len(missing) > 0 {
		t.Errorf("no situation for %v", slices.Sorted(maps.Keys(missing)))
	}
}
