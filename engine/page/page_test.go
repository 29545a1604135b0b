package page_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/page/snapshots"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/world"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

var updatePages = flag.Bool("update", false, "write the pages of testdata/pages anew")

// pageData are the objects that the pages of these tests are made of.
type pageData struct {
	Binding          placement.ResourceBinding
	More             []placement.ResourceBinding
	Works            []placement.Work
	Member           cluster.MemberCluster
	Overrides        []placement.ResourceOverrideSnapshot
	ClusterOverrides []placement.ClusterResourceOverrideSnapshot
	Placement        placement.ResourcePlacement
	Resources        []placement.ResourceSnapshot
	Policies         []placement.SchedulingPolicySnapshot
}

var pageNow = time.Date(2026, 8, 20, 22, 30, 0, 0, time.UTC)

func readPageData(t *testing.T) *pageData {
	t.Helper()
	b, err := os.ReadFile("testdata/pages/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d := &pageData{}
	if err := yaml.UnmarshalStrict(b, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// pageSnapshot shows two runs of placement web, of which the second took a
// cluster of the first.
func pageSnapshot(ns string) *engine.Snapshot {
	kind, place := engine.KindClusterStagedUpdateRun, engine.KindClusterResourcePlacement
	if ns != "" {
		kind, place = engine.KindStagedUpdateRun, engine.KindResourcePlacement
	}
	p := engine.NewID(place, ns, "web", "p1")
	return &engine.Snapshot{At: pageNow, Complete: true, Runs: []*engine.RunView{
		{ID: engine.NewID(kind, ns, "web-r6", "r6"), Word: engine.WordPreempted, Terminal: true, Placement: p, Index: engine.Lit("6"), Done: 1, Total: 3, Created: pageNow.Add(-2 * time.Hour), Strategy: engine.Lit("rings")},
		{ID: engine.NewID(kind, ns, "web-r7", "r7"), Word: engine.WordStuck, Placement: p, Index: engine.Lit("7"), Done: 0, Total: 3, Created: pageNow.Add(-time.Hour), Strategy: engine.Lit("rings")},
		{ID: engine.NewID(kind, ns, "other", "r8"), Word: engine.WordRunning, Placement: engine.NewID(place, ns, "else", "")},
	}}
}

func (d *pageData) maskObject(o map[string]any) {
	if o["kind"] == "Secret" {
		if v, ok := o["data"].(map[string]any); ok {
			for k := range v {
				v[k] = "masked, of " + v[k].(string)[:1]
			}
		}
	}
}

// flat writes a page as lines of text.
func flat(a page.Answer) string {
	marks := map[page.Mark]string{page.MarkYes: "+", page.MarkNo: "x", page.MarkUnknown: "?", page.MarkAbsent: ".", page.MarkOld: "o", page.MarkMine: ">", page.MarkAsk: "?", page.MarkAdded: "[+]", page.MarkGone: "[-]"}
	var b strings.Builder
	line := func(parts ...string) {
		b.WriteString(strings.TrimRight(strings.Join(parts, " | "), " |") + "\n")
	}
	if !a.Err.IsZero() {
		line("ERR", a.Err.String(), a.Hint.String())
	}
	for _, s := range a.Sections {
		line("== "+s.Heading().String(), s.Note.String())
		for _, r := range s.Rows {
			var parts []string
			for _, c := range r.Cells {
				p := strings.TrimSpace(marks[c.Mark] + " " + c.Text.String())
				for _, t := range []time.Time{c.At, c.Since} {
					if !t.IsZero() {
						p += t.UTC().Format(" @15:04:05")
					}
				}
				parts = append(parts, strings.TrimSpace(p))
			}
			if !r.Run.IsZero() {
				parts = append(parts, "=> "+r.Run.Title().String())
			}
			if r.Page != nil {
				parts = append(parts, "=> page")
			}
			line(parts...)
			if !r.Note.IsZero() {
				line("    " + r.Note.String())
			}
		}
	}
	return b.String()
}

func TestPages(t *testing.T) {
	for _, scope := range []struct{ name, ns string }{{"cluster-scoped", ""}, {"namespaced", "shop"}} {
		snap := pageSnapshot(scope.ns)
		place := snap.Runs[0].Placement
		cases := []struct {
			name string
			make func(*pageData) page.Answer
		}{
			{"cluster", func(d *pageData) page.Answer {
				d.Binding.Namespace = scope.ns
				return page.ClusterPage(page.ClusterFacts{
					Question: page.ClusterQuestion{Placement: place, Run: snap.Runs[0].ID, Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")},
					Snapshot: snap, Now: pageNow, Binding: &d.Binding, Works: d.Works, Member: &d.Member,
					Overrides: d.Overrides, ClusterOverrides: d.ClusterOverrides, Mask: func(s string) engine.Text { return engine.Textf("masked, %d", len(s)) },
				})
			}},
			{"cluster-forbidden", func(*pageData) page.Answer {
				return page.ClusterPage(page.ClusterFacts{
					Question: page.ClusterQuestion{Placement: place, Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")},
					Now:      pageNow, BindingWhy: engine.Lit("bindings: no"), MemberWhy: engine.Lit("members: no"),
				})
			}},
			{"owners", func(d *pageData) page.Answer {
				return page.OwnersPage(page.PlacementFacts{
					Question: page.PlacementQuestion{Placement: place, Run: snap.Runs[0].ID},
					Snapshot: snap, Now: pageNow, Bindings: append(d.More, d.Binding), Unread: 1,
				})
			}},
			{"placement", func(d *pageData) page.Answer {
				return page.PlacementPage(page.PlacementFacts{
					Question: page.PlacementQuestion{Placement: place}, Snapshot: snap, Now: pageNow,
					Placement: &d.Placement, Bindings: append(d.More, d.Binding), Resources: d.Resources, Policies: d.Policies,
				})
			}},
			{"placement-gone", func(*pageData) page.Answer {
				return page.PlacementPage(page.PlacementFacts{Question: page.PlacementQuestion{Placement: place}, Now: pageNow})
			}},
			{"snapshots", func(d *pageData) page.Answer {
				return snapshots.Page(snapshots.Facts{Question: page.SnapshotsQuestion{Placement: place, From: 6, To: 7}, Now: pageNow, Resources: d.Resources, Mask: d.maskObject})
			}},
			{"snapshots-pruned", func(d *pageData) page.Answer {
				return snapshots.Page(snapshots.Facts{Question: page.SnapshotsQuestion{Placement: place, From: 5, To: 7}, Now: pageNow, Resources: d.Resources, Mask: d.maskObject})
			}},
		}
		for _, tt := range cases {
			t.Run(scope.name+"/"+tt.name, func(t *testing.T) {
				got := flat(tt.make(readPageData(t)))
				for _, secret := range []string{"aHVudGVyMg", "c3dvcmRmaXNo", "hunter2", "swordfish"} {
					if strings.Contains(got, secret) {
						t.Errorf("the page shows the secret %s:\n%s", secret, got)
					}
				}
				checkPage(t, tt.name+"-"+scope.name, got)
			})
		}
	}
}

// checkPage compares a page to its file.
func checkPage(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata/pages", name+".txt")
	if *updatePages {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestInboxPage(t *testing.T) {
	all := situation.All(t)
	snap := &engine.Snapshot{At: situation.Moment(t, "10:09:00"), Complete: true}
	for _, name := range []string{"approval-after", "approval-before", "approval-beside-wait", "not-accepted", "approval-sent", "updating", "preempted"} {
		sit := all[name]
		w, id := sit.World(t, "")
		one, _ := observe.Observe(nil, w, world.Changed{}, situation.Moment(t, sit.Now))
		v := *one.Find(id)
		v.ID = engine.NewID(v.ID.Kind(), v.ID.RawNamespace(), name, name) // situations share their names
		v.Placement = engine.NewID(v.Placement.Kind(), v.Placement.RawNamespace(), name, "")
		snap.Runs = append(snap.Runs, &v)
	}
	d := readPageData(t)
	d.Binding.Spec.ResourceSnapshotName = "x-3-snapshot"
	f := inbox.Facts{
		Snapshot: snap, Now: snap.At,
		Bindings: map[engine.ID][]placement.ResourceBinding{}, BindingsWhy: map[engine.ID]engine.Text{},
	}
	places := inbox.Awaited(snap, engine.ID{})
	if len(places) != 4 {
		t.Fatalf("%d placements wait for a person, want 4", len(places))
	}
	for i, p := range places {
		if i == 0 {
			f.BindingsWhy[p] = engine.Lit("forbidden")
		} else {
			f.Bindings[p] = append(d.More, d.Binding)
		}
	}
	approvals := inbox.Page(f)
	checkPage(t, "inbox", flat(approvals))
	if doc, err := os.ReadFile("../../docs/commands.md"); err != nil || !documented(string(doc), approvals.Sections[0].Head) {
		t.Errorf("docs/commands.md does not list the columns %v: %v", approvals.Sections[0].Head, err)
	}
	loading := inbox.Page(inbox.Facts{Snapshot: &engine.Snapshot{}, Now: snap.At})
	none := flat(loading)
	if !loading.Partial || loading.Sections[0].Rows[0].Cells[0].Role == engine.RoleGood {
		t.Error("what is still loading looks well")
	}
	if !strings.Contains(none, "No run that has been read waits") || !strings.Contains(none, "there may be more") {
		t.Errorf("an empty list that is not complete says:\n%s", none)
	}
}

// documented reports whether the paragraph about the columns of approvals names them in their order.
func documented(doc string, heads []engine.Text) bool {
	_, doc, ok := strings.Cut(doc, "The columns of `approvals`")
	for _, head := range heads {
		if ok {
			_, doc, ok = strings.Cut(doc, " "+head.String())
		}
	}
	return ok
}

func TestTimelinePage(t *testing.T) {
	all := situation.All(t)
	for _, name := range []string{"stuck", "approval-after", "not-accepted", "timed-wait", "done", "init-failed-index", "removing"} {
		t.Run(name, func(t *testing.T) {
			sit := all[name]
			a := timeline.Page(timeline.Facts{
				Question: page.TimelineQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r1", "u-r1")},
				Now:      situation.Moment(t, sit.Now), StuckAfter: engine.StuckDefault, Run: &sit.Run, Approvals: sit.Approvals,
			})
			got := flat(a)
			for _, r := range a.Sections[0].Rows {
				for _, s := range r.Strip {
					got += engine.Textf("%s: role %d %s..%s\n", r.Cells[0].Text, int(s.Role), s.From.UTC().Format("15:04:05"), s.To.UTC().Format("15:04:05")).String()
					if s.From.Before(a.Sections[0].From) || s.To.After(a.Sections[0].To) {
						t.Errorf("a stretch leaves the strip: %v", s)
					}
				}
			}
			checkPage(t, "timeline-"+name, got)
		})
	}
}

func TestEventsPage(t *testing.T) {
	run := engine.NewID(engine.KindStagedUpdateRun, "shop", "web-r1", "u")
	place := engine.NewID(engine.KindResourcePlacement, "shop", "web", "p")
	got := flat(page.EventsPage(page.EventsFacts{Now: pageNow, Events: []page.EventsOf{
		{About: run},
		{About: place, Events: []page.Event{
			{Type: "Normal", Reason: "PlacementRolloutStarted", Message: "Started rolling out", From: "placement-controller", Count: 1, Last: pageNow.Add(-time.Hour)},
			{Type: "Warning", Reason: "Odd\x1b[2J", Message: "line\nbreak", Count: 41, Last: pageNow},
		}},
		{About: place, Why: engine.Lit("events are forbidden")},
		{About: place},
	}}))
	checkPage(t, "events", got)
	if strings.Contains(got, "\x1b") {
		t.Error("an escape passes")
	}
}

// A binding may tell of a run that was deleted since; that it is not listed is
// no proof while runs are loading or hidden.
func TestOwnerThatWasDeleted(t *testing.T) {
	run := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u1")
	for _, tt := range []struct {
		name string
		snap *engine.Snapshot
		want string
	}{
		{"listed", &engine.Snapshot{Complete: true, Scope: engine.Scope{ClusterRuns: true}, Runs: []*engine.RunView{{ID: run}}}, "web-r1: 1"},
		{"gone", &engine.Snapshot{Complete: true, Scope: engine.Scope{ClusterRuns: true}}, "web-r1 (deleted): 1"},
		{"loading", &engine.Snapshot{Scope: engine.Scope{ClusterRuns: true}}, "web-r1: 1"},
		{"hidden", &engine.Snapshot{Complete: true, Scope: engine.Scope{ClusterRuns: true, Hidden: true}}, "web-r1: 1"},
		{"namespaced only", &engine.Snapshot{Complete: true}, "web-r1: 1"},
		{"no screen", nil, "web-r1: 1"},
	} {
		b := placement.ResourceBinding{}
		b.Spec.ResourceSnapshotName, b.Spec.State, b.Generation = "web-1-snapshot", placement.BindingBound, 1
		b.Status.Conditions = []metav1.Condition{{
			Type: "RolloutStarted", Status: "True", ObservedGeneration: 1,
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 1, updateRun: web-r1",
		}}
		f := page.PlacementFacts{Question: page.PlacementQuestion{Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")}, Snapshot: tt.snap, Bindings: []placement.ResourceBinding{b}}
		a := page.OwnersPage(f)
		if got := a.Sections[1].Note.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
