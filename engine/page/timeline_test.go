package page_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
)

func TestTimelineOfObservedChanges(t *testing.T) {
	sit := situation.All(t)["stuck"]
	now := situation.Moment(t, sit.Now)
	condition := func(reason string, at time.Time) metav1.Condition {
		return metav1.Condition{Type: "Progressing", Status: metav1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.NewTime(at)}
	}
	still := sit.Run.Status.Conditions[1]
	f := timeline.Facts{
		Question: page.TimelineQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r1", "u-r1")},
		Now:      now, StuckAfter: engine.StuckDefault, Run: &sit.Run, Watched: now.Add(-time.Hour),
		Seen: []timeline.SeenChange{
			{At: now.Add(-3 * time.Minute), State: "Stop"},
			{At: now.Add(-2 * time.Minute), Condition: condition("UpdateRunWaiting", now.Add(-2*time.Minute-time.Second))},
			{At: now.Add(-time.Minute), Stage: "canary", Condition: condition("StageUpdatingStopped", now.Add(-5*time.Hour))},
			{At: still.LastTransitionTime.Time, Condition: still},
		},
	}
	got := flat(timeline.Page(f))
	for _, want := range []string{
		"state set to Stop", "run Progressing False: UpdateRunWaiting", "stage Progressing False: StageUpdatingStopped", "Watched since",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is told %d times:\n%s", want, strings.Count(got, want), got)
		}
	}
	if told := strings.Count(got, still.Type+" "+string(still.Status)+": "+still.Reason); told != 1 {
		t.Errorf("what the object still tells is told %d times:\n%s", told, got)
	}
	// A time from long ago is not that of a change seen just now.
	if at := now.Add(-5 * time.Hour).UTC().Format("15:04:05"); strings.Contains(got, at) {
		t.Errorf("a change stands at %s:\n%s", at, got)
	}
}

// Who approves a request writes the time of the approval: one before the request was created
// stands where the request was created, after the run and in the order of what happened.
func TestTimelineOfAnApprovalWithATimeBeforeItsRequest(t *testing.T) {
	sit := situation.All(t)["approval-accepted"]
	now := situation.Moment(t, sit.Now)
	r := *sit.Approvals[0].DeepCopy()
	created := r.CreationTimestamp.Time
	r.Status.Conditions = []metav1.Condition{{
		Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, Reason: "Approved", ObservedGeneration: r.Generation,
		LastTransitionTime: metav1.NewTime(created.Add(-48 * time.Hour)),
	}, {
		Type: placement.ApprovalAccepted, Status: metav1.ConditionTrue, Reason: "Accepted", ObservedGeneration: r.Generation,
		LastTransitionTime: metav1.NewTime(created.Add(2 * time.Second)),
	}}
	got := timeline.Page(timeline.Facts{
		Question: page.TimelineQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r1", "u-r1")},
		Now:      now, StuckAfter: engine.StuckDefault, Run: &sit.Run, Approvals: []placement.ApprovalRequest{r},
	})
	at := map[string]time.Time{}
	for _, row := range got.Sections[1].Rows {
		if len(row.Cells) == 4 {
			what, _, _ := strings.Cut(row.Cells[3].Text.String(), " True")
			at[what] = row.Cells[0].At
			if !row.Cells[1].Since.Equal(row.Cells[0].At) {
				t.Errorf("%s: at %s and since %s", what, row.Cells[0].At, row.Cells[1].Since)
			}
		}
	}
	if !at["approval request Approved"].Equal(created) || !at["approval request ApprovalAccepted"].Equal(created.Add(2*time.Second)) {
		t.Errorf("request of %s: %v", created, at)
	}
}
