package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// seenRun is a version of a run: its state, its Progressing reason, and that of
// its only stage.
func seenRun(id engine.ID, state placement.State, run, stage string) *object {
	condition := func(reason string) []metav1.Condition {
		if reason == "" {
			return nil
		}
		return []metav1.Condition{{Type: "Progressing", Status: metav1.ConditionTrue, Reason: reason}}
	}
	return &object{id: id, ObjectMeta: &metav1.ObjectMeta{Name: "r"}, value: &placement.StagedUpdateRun{
		Spec: placement.UpdateRunSpec{State: state},
		Status: placement.UpdateRunStatus{Conditions: condition(run), StagesStatus: []placement.StageStatus{
			{StageName: "canary", Conditions: condition(stage)},
		}},
	}}
}

func TestDiary(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")
	at := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	d := newDiary(at)
	run, stop := placement.StateRun, placement.StateStop
	for i, o := range []*object{
		seenRun(id, run, "UpdateRunWaiting", ""), // known before: says nothing
		seenRun(id, run, "UpdateRunWaiting", ""),
		seenRun(id, run, "UpdateRunProgressing", "StageUpdatingStarted"),
		seenRun(id, stop, "UpdateRunProgressing", "StageUpdatingStarted"),
		seenRun(id, stop, "UpdateRunStopped", "StageUpdatingStopped"),
	} {
		d.note(o, at.Add(time.Duration(i)*time.Second))
	}
	var got []string
	for _, c := range d.of(id) {
		got = append(got, fmt.Sprintf("%ds %s%s%s", int(c.At.Sub(at).Seconds()), c.State, c.Stage, c.Condition.Reason))
	}
	want := []string{"2s UpdateRunProgressing", "2s canaryStageUpdatingStarted", "3s Stop", "4s UpdateRunStopped", "4s canaryStageUpdatingStopped"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if other := d.of(engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "another")); other != nil {
		t.Errorf("a run of the same name has %v", other)
	}
}

func TestDiaryIsBounded(t *testing.T) {
	at := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	d := newDiary(at)
	first := engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "0")
	for i := range 2*diaryEntries + 1 {
		d.note(seenRun(first, placement.StateRun, fmt.Sprint("Reason", i), ""), at)
	}
	changes := d.of(first)
	if len(changes) != diaryEntries || changes[len(changes)-1].Condition.Reason != fmt.Sprint("Reason", 2*diaryEntries) {
		t.Errorf("%d changes, the last %v", len(changes), changes[len(changes)-1])
	}
	for i := range diaryRuns {
		d.note(seenRun(engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", fmt.Sprint("u", i)), placement.StateRun, "x", ""), at)
	}
	if d.of(first) != nil || len(d.runs) != diaryRuns || len(d.order) != diaryRuns {
		t.Errorf("%d runs, %d in order", len(d.runs), len(d.order))
	}
}

// A state that a person looked away from is still told.
func TestTimelineOfWhatWasOverwritten(t *testing.T) {
	p := somebody(t, shared)
	run := p.make(aRun(t, "", "diary-r1", "diary", "Run", "UpdateRunWaiting"))
	s := openSession(t, Config{REST: shared.AdminConfig()})
	kind := engine.KindClusterStagedUpdateRun
	snap := until(t, s, "the run", func(s *engine.Snapshot) bool { return s.Complete && named(s, kind, "", "diary-r1") != nil })
	id := named(snap, kind, "", "diary-r1").ID
	for _, reason := range []string{"UpdateRunStuck", "UpdateRunProgressing"} {
		status := aRun(t, "", "diary-r1", "diary", "Run", reason)["status"]
		run = p.putStatus(p.refresh(run, func(o map[string]any) { o["status"] = status }))
	}
	var shown string
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(shown, "UpdateRunStuck") || !strings.Contains(shown, "UpdateRunProgressing") {
		if time.Now().After(deadline) {
			t.Fatalf("the timeline says\n%s", shown)
		}
		a := s.Ask(t.Context(), page.Question{Kind: page.QuestionTimeline, About: id})
		shown = words(a)
	}
	if !strings.Contains(shown, "Watched since") {
		t.Errorf("the page does not say since when it knows:\n%s", shown)
	}
}
