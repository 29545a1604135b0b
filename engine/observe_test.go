package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// situation is one file of testdata: objects as a hub holds them, and what a
// person is told about them. Each is read in both scopes.
type situation struct {
	Now       string                      `json:"now"`
	Seen      string                      `json:"seen"`
	Want      wanted                      `json:"want"`
	Run       placement.StagedUpdateRun   `json:"run"`
	Others    []placement.StagedUpdateRun `json:"others"`
	Approvals []placement.ApprovalRequest `json:"approvals"`
	Bindings  []bindingData               `json:"bindings"`
}

type bindingData struct {
	Cluster, State, SnapshotName string
	Generation                   int64
	Conditions                   []metav1.Condition
	Failed                       []placement.FailedResourcePlacement
}

// wanted is what a person is told. What triage says is checked there, with the
// same files.
type wanted struct {
	Word, Since, Until, Next, At string
	Counts                       string
	Slow, Terminal               bool
	TakenBy                      string
	Stages, Gates                []string
	Coming                       string
	What, Heal, NextStep, Quote  string
	Acts                         map[string]string
	Clusters                     []string
	Why, Ladders                 map[string]string
}

func situations(t testing.TB) map[string]situation {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("testdata: %d files, %v", len(files), err)
	}
	out := map[string]situation{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var s situation
		if err := yaml.UnmarshalStrict(b, &s); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".yaml")] = s
	}
	return out
}

// moment reads a time of day of the one day on which all situations happen.
func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-02 "+s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// world makes the World of a situation, and the run's ID. A namespaced one has
// ns, a cluster-scoped one "".
func (s *situation) world(t testing.TB, ns string) (*World, ID) {
	t.Helper()
	w := NewWorld(Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Link.State = LinkLive
	w.Hub.Context = Lit("hub a")
	for _, k := range []Kind{KindClusterStagedUpdateRun, KindStagedUpdateRun, KindClusterApprovalRequest, KindApprovalRequest, KindClusterResourcePlacement, KindResourcePlacement} {
		w.Covered[CoverAll(k)] = Coverage{State: CoverComplete}
	}
	kind := KindClusterStagedUpdateRun
	if ns != "" {
		kind = KindStagedUpdateRun
	}
	add := func(run placement.StagedUpdateRun) ID {
		run.Namespace = ns
		id := NewID(kind, ns, run.Name, string(run.UID))
		w.Runs[id] = &run
		return id
	}
	id := add(s.Run)
	for _, o := range s.Others {
		add(o)
	}
	if s.Seen != "" {
		w.FirstSeen[id] = Seen{Generation: s.Run.Generation, At: moment(t, s.Seen)}
	}
	for _, a := range s.Approvals {
		a.Namespace = ns
		w.Approvals[NewID(kind.Twin(KindClusterApprovalRequest, KindApprovalRequest), ns, a.Name, string(a.UID))] = &a
	}
	if s.Bindings != nil {
		key := PlacementKey(id, s.Run.Spec.PlacementName)
		w.Covered[CoverBindings(key)] = Coverage{State: CoverComplete}
		w.Bindings[key] = map[ID]*Binding{}
		for _, b := range s.Bindings {
			bid := NewID(kind.Twin(KindClusterResourceBinding, KindResourceBinding), ns, "shop-"+b.Cluster, "u-"+b.Cluster)
			w.Bindings[key][bid] = &Binding{
				ID: bid, Cluster: b.Cluster, State: b.State, SnapshotName: b.SnapshotName,
				Generation: b.Generation, Conditions: b.Conditions, Failed: b.Failed,
			}
		}
	}
	w.Focus.Run = id
	return w, id
}

func TestObserve(t *testing.T) {
	for name, s := range situations(t) {
		for scope, ns := range map[string]string{"cluster": "", "namespaced": "team-a"} {
			t.Run(name+"/"+scope, func(t *testing.T) {
				w, id := s.world(t, ns)
				now := moment(t, s.Now)
				snap, next := Observe(nil, w, Changed{}, now)
				v := snap.Find(id)
				if v == nil {
					t.Fatal("the run has no row")
				}
				s.Want.compare(t, snap, v, next)
				s.Want.compareActs(t, snap, id, now)
				if again, _ := Observe(snap, w, Changed{}, now); again.Find(id) != v || again.Detail != snap.Detail || again.Seq != snap.Seq+1 {
					t.Error("a second look at the same World made new views")
				}
			})
		}
	}
}

func (want *wanted) compare(t *testing.T, snap *Snapshot, v *RunView, next time.Time) {
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
	if midnight := moment(t, "00:00:00").AddDate(0, 0, 1); next.Equal(midnight) {
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
	takenBy := ""
	if !v.TakenBy.IsZero() {
		_, name, uid := v.TakenBy.Raw()
		takenBy = strings.TrimSpace(name + " " + uid)
	}
	check("taken by", takenBy, want.TakenBy)
	if want.Coming != "" {
		check("coming", Join(v.Current().Coming, ", ").String(), want.Coming)
	}
	want.compareDetail(t, snap, v)
}

func (want *wanted) compareDetail(t *testing.T, snap *Snapshot, v *RunView) {
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
			if w, ok := want.Ladders[c.Name.String()]; ok && rungs(c.Ladder) != w {
				t.Errorf("ladder of %s: got %q, want %q", c.Name, rungs(c.Ladder), w)
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

func (want *wanted) compareActs(t *testing.T, snap *Snapshot, id ID, now time.Time) {
	t.Helper()
	acts := map[string]Act{"approve": ActApprove, "run": ActRun, "stop": ActStop}
	for name, w := range want.Acts {
		i, r := Propose(snap, acts[name], id, now)
		got := "refused: " + r.Why.String()
		if !r.Refused() {
			got = strings.TrimSuffix(i.Title.String()+" | "+Join(i.Effect, " ").String()+" | warn: "+Join(i.Warn, " ").String(), " | warn: ")
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
		if r.Refused() && i.Act != ActNone {
			t.Errorf("%s: a refused act has an intent", name)
		}
	}
}

func counts(v *RunView) string {
	s := fmt.Sprintf("%d/%d", v.Done, v.Total)
	for _, c := range []struct {
		n    int
		name string
	}{{v.Updating, "updating"}, {v.Stuck, "stuck"}, {v.Taken, "taken"}} {
		if c.n > 0 {
			s += fmt.Sprintf(" %s %d", c.name, c.n)
		}
	}
	return s
}

func stages(v *RunView) []string {
	var out []string
	for _, s := range v.Stages {
		out = append(out, fmt.Sprintf("%s %s %d/%d x%d", s.Name, s.State, s.Done, s.Total, s.AtOnce))
	}
	return out
}

func gates(v *RunView, day func(time.Time) string) []string {
	var out []string
	for _, s := range v.Stages {
		for _, g := range slices.Concat(s.Before, s.After) {
			side := "after"
			if g.Before {
				side = "before"
			}
			line := fmt.Sprintf("%s %s %s", side, s.Name, g.State)
			if g.State == GateNotAccepted || g.State == GateSent {
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

func rungs(l Ladder) string {
	s := ""
	for _, r := range []Rung{l.RolloutStarted, l.Overridden, l.WorkSynchronized, l.Applied, l.Available, l.DiffReported} {
		s += string("-TFU~"[r.State])
	}
	return s
}

func TestEveryWordHasASituation(t *testing.T) {
	missing := map[string]bool{}
	for _, w := range rules {
		missing[w.word.String()] = true
	}
	for _, s := range situations(t) {
		delete(missing, s.Want.Word)
	}
	if len(missing) > 0 {
		t.Errorf("no situation for %v", slices.Sorted(maps.Keys(missing)))
	}
}
