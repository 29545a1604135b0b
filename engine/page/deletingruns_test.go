package page_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
)

// TestADeletingRunCompetesWithNone: a run that is being deleted updates nothing more, so that
// no page and no dialog names it as a competitor.
func TestADeletingRunCompetesWithNone(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		for _, ns := range []string{"", "shop"} {
			sit := situation.All(t)["approval-before"]
			other := situation.All(t)["updating"].Run
			other.Name, other.UID, other.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", "4"
			if deleting {
				at := metav1.NewTime(situation.Moment(t, "10:01:30"))
				other.DeletionTimestamp, other.Finalizers = &at, []string{"example.com/hold"}
			}
			sit.Others = append(sit.Others, other)
			s, v, now := diagnosed(t, &sit, ns)
			clone, _ := act.ProposeClone(s, v.ID, act.Choice{Snapshot: v.Index})
			approve, _ := act.Propose(s, engine.ActApprove, v.ID, now)
			owners := page.OwnersPage(page.PlacementFacts{Question: page.PlacementQuestion{Placement: v.Placement, Run: v.ID}, Snapshot: s, Now: now})
			says := map[string]string{
				"clone": engine.Join(clone.Warn, " ").String(), "approve": engine.Join(approve.Warn, " ").String(), "explain": v.Why.What.String(),
				"owners": text(owners), "approvals": text(inbox.Page(inbox.Facts{Snapshot: s, Now: now, Run: v.ID})),
			}
			for where, got := range says {
				if strings.Contains(strings.ReplaceAll(got, "No other run of the placement competes", ""), "compete") == deleting {
					t.Errorf("deleting %v, %s: %q", deleting, where, got)
				}
			}
			beside := (&page.DiagnosisFacts{Snapshot: s, Run: v, Now: now}).CompetingRuns()
			if len(beside) == 1 == deleting {
				t.Errorf("deleting %v: other unfinished runs %v", deleting, beside)
			}
		}
	}
}

// text is what the rows of a page say.
func text(a page.Answer) string {
	var out []string
	for i := range a.Sections {
		for j := range a.Sections[i].Rows {
			r := &a.Sections[i].Rows[j]
			out = append(out, r.Note.String())
			for k := range r.Cells {
				out = append(out, r.Cells[k].Text.String())
			}
		}
	}
	return strings.Join(out, " ")
}

// TestOwnersOfARunThatWasNotRead checks that the page of owners says that snapshot and clusters were not read of a run of which
// only the row was read.
func TestOwnersOfARunThatWasNotRead(t *testing.T) {
	place := engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")
	v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u1"), Word: engine.WordDone, Terminal: true, Placement: place, Partial: true, RowOnly: true}
	for _, want := range []bool{false, true} {
		v.Partial, v.RowOnly = !want, !want
		says := text(page.OwnersPage(page.PlacementFacts{Question: page.PlacementQuestion{Placement: place}, Snapshot: &engine.Snapshot{Complete: true, Runs: []*engine.RunView{v}}}))
		if strings.Contains(says, "0/0") != want || (strings.Count(says, "not read") == 2) == want || !strings.Contains(says, "DONE") {
			t.Errorf("partial %v: %s", v.Partial, says)
		}
	}
}
