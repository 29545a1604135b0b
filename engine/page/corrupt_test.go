package page_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/corrupt"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/page/snapshots"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestPagesOfCorruptObjects makes every page of objects that are damaged in every
// field. None may break, let control characters out, or call well what no
// condition calls so.
func TestPagesOfCorruptObjects(t *testing.T) {
	all := situation.All(t)
	names := situation.SortedNames(all)
	good := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 11))
		d := readPageData(t)
		corrupt.Objects(r, 0.05, d)
		ns := []string{"", "shop"}[r.IntN(2)]
		snap := pageSnapshot(ns)
		place, run := snap.Runs[0].Placement, snap.Runs[0].ID
		placed := page.PlacementFacts{
			Question: page.PlacementQuestion{Placement: place, Run: run}, Snapshot: snap, Now: pageNow, Placement: &d.Placement,
			Bindings: append(d.More, d.Binding), Resources: d.Resources, Policies: d.Policies,
		}
		one := page.ClusterPage(page.ClusterFacts{
			Question: page.ClusterQuestion{Placement: place, Run: run, Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")},
			Snapshot: snap, Now: pageNow, Binding: &d.Binding, Works: d.Works, Member: &d.Member,
			Overrides: d.Overrides, ClusterOverrides: d.ClusterOverrides, Mask: func(string) engine.Text { return engine.Lit("masked") },
		})
		good += checkConditions(t, one, &d.Binding)
		// The run of the page does not own the binding, so its conditions have no marks there.
		good += checkConditions(t, page.ClusterPage(page.ClusterFacts{Question: page.ClusterQuestion{Placement: place, Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")}, Snapshot: snap, Now: pageNow, Binding: &d.Binding, Mask: func(string) engine.Text { return engine.Lit("masked") }}), &d.Binding)
		pages := []page.Answer{
			one, page.OwnersPage(placed), page.PlacementPage(placed),
			snapshots.Page(snapshots.Facts{Question: page.SnapshotsQuestion{Placement: place, From: 6, To: 7}, Now: pageNow, Resources: d.Resources, Mask: d.maskObject}),
		}
		pages = append(pages, oddRunPages(t, r, all[names[r.IntN(len(names))]], ns, d)...)
		for i, a := range pages {
			if at := strings.IndexFunc(flat(a), func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) }); at >= 0 {
				t.Fatalf("seed %d: page %d lets a control character out:\n%q", seed, i, flat(a)[max(0, at-40):at+10])
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if good == 0 {
		t.Error("no condition of any binding was good: nothing was compared")
	}
}

// oddRunPages are the pages about a run that is damaged.
func oddRunPages(t *testing.T, r *rand.Rand, s situation.Situation, ns string, d *pageData) []page.Answer {
	t.Helper()
	w, id := s.World(t, ns)
	run := w.Runs[id].DeepCopy()
	corrupt.Objects(r, 0.05, &run.Spec, &run.Status)
	w.Runs[id] = run
	var approvals []placement.ApprovalRequest
	for k, a := range w.Approvals {
		a = a.DeepCopy()
		corrupt.Objects(r, 0.1, &a.Spec, &a.Status)
		w.Approvals[k] = a
		approvals = append(approvals, *a)
	}
	w.Focus = engine.Focus{Cursor: id, Run: id}
	now := situation.Moment(t, s.Now)
	snap, _ := observe.Observe(nil, w, world.Changed{}, now)
	v := snap.Find(id)
	facts := inbox.Facts{Snapshot: snap, Now: now, Bindings: map[engine.ID][]placement.ResourceBinding{}}
	for _, p := range inbox.Awaited(snap, engine.ID{}) {
		facts.Bindings[p] = append(d.More, d.Binding)
	}
	line := timeline.Page(timeline.Facts{Question: page.TimelineQuestion{Run: id}, Now: now, StuckAfter: engine.StuckDefault, Run: run, Approvals: approvals})
	for _, sec := range line.Sections {
		for _, row := range sec.Rows {
			for _, x := range row.Strip {
				if x.From.Before(sec.From) || x.To.After(sec.To) || x.To.Before(x.From) {
					t.Errorf("a stretch %s..%s leaves the strip %s..%s", x.From, x.To, sec.From, sec.To)
				}
			}
		}
	}
	return []page.Answer{
		inbox.Page(facts), line,
		page.DiagnosisPage(page.DiagnosisFacts{Snapshot: snap, Run: v, Detail: snap.Detail, Now: now}),
	}
}

// checkConditions compares the conditions of a cluster's page with its binding: a good
// one needs a condition that is True at the binding's generation, and none of
// its type that says otherwise. It returns the number of good conditions.
func checkConditions(t *testing.T, a page.Answer, b *placement.ResourceBinding) (good int) {
	t.Helper()
	for _, s := range a.Sections {
		if s.Title != engine.Lit("conditions") {
			continue
		}
		for _, row := range s.Rows {
			if row.Cells[0].Mark != page.MarkYes {
				continue
			}
			of := func(c metav1.Condition) bool { return engine.Clean(c.Type) == row.Cells[0].Text }
			good++
			current := func(c metav1.Condition) bool {
				return c.Status == metav1.ConditionTrue && c.ObservedGeneration >= b.Generation
			}
			if !slices.ContainsFunc(b.Status.Conditions, of) {
				t.Errorf("%s is good without a condition", row.Cells[0].Text)
			}
			for _, c := range b.Status.Conditions {
				if of(c) && !current(c) {
					t.Errorf("%s is good with %+v at generation %d", row.Cells[0].Text, c, b.Generation)
				}
			}
		}
	}
	return good
}

// TestManyFailedManifests is a binding with all that the API keeps, each with a
// message as long as an object may be.
func TestManyFailedManifests(t *testing.T) {
	d := readPageData(t)
	var failed placement.FailedResourcePlacement
	failed.Kind, failed.Version, failed.Name, failed.Namespace = "Deployment", "v1", "web", "shop"
	failed.Condition = metav1.Condition{Type: "Available", Status: "False", Reason: "ManifestNotAvailableYet", Message: strings.Repeat("because \x1b[31m", 3000), LastTransitionTime: metav1.NewTime(pageNow.Add(-time.Minute))}
	for range 100 {
		d.Binding.Status.FailedPlacements = append(d.Binding.Status.FailedPlacements, failed)
	}
	n := len(d.Binding.Status.FailedPlacements)
	a := page.ClusterPage(page.ClusterFacts{Question: page.ClusterQuestion{Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")}, Now: pageNow, Binding: &d.Binding, Mask: func(string) engine.Text { return engine.Lit("masked") }})
	rows, size := 0, 0
	for _, s := range a.Sections {
		for _, r := range s.Rows {
			if strings.Contains(r.Copied().String(), "Deployment shop/web") {
				rows++
			}
			size += len(r.Note.String())
		}
	}
	if rows < n {
		t.Errorf("%d of %d failed manifests have a row", rows, n)
	}
	if size > n*20_000 {
		t.Errorf("the notes are %d bytes long", size)
	}
}
