package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
)

// seenRun is a version of a run: its state, its Progressing reason, and that of
// its only stage.
func seenRun(id engine.ID, state placement.State, run, stage string) *Object {
	condition := func(reason string) []metav1.Condition {
		if reason == "" {
			return nil
		}
		return []metav1.Condition{{Type: "Progressing", Status: metav1.ConditionTrue, Reason: reason}}
	}
	return &Object{ID: id, Value: &placement.StagedUpdateRun{
		Spec: placement.UpdateRunSpec{State: state},
		Status: placement.UpdateRunStatus{Conditions: condition(run), StagesStatus: []placement.StageStatus{
			{StageName: "canary", Conditions: condition(stage)},
		}},
	}}
}

func changesOf(d *diary, run engine.ID) []timeline.SeenChange {
	_, changes := d.of(run)
	return changes
}

func TestDiary(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")
	at := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	d := newDiary(at)
	run, stop := placement.StateRun, placement.StateStop
	for i, o := range []*Object{
		seenRun(id, run, "UpdateRunWaiting", ""), // known before: says nothing
		seenRun(id, run, "UpdateRunWaiting", ""),
		seenRun(id, run, "UpdateRunProgressing", "StageUpdatingStarted"),
		seenRun(id, stop, "UpdateRunProgressing", "StageUpdatingStarted"),
		seenRun(id, stop, "UpdateRunStopped", "StageUpdatingStopped"),
	} {
		d.note(o, at.Add(time.Duration(i)*time.Second))
	}
	var got []string
	for _, c := range changesOf(d, id) {
		got = append(got, fmt.Sprintf("%ds %s%s%s", int(c.At.Sub(at).Seconds()), c.State, c.Stage, c.Condition.Reason))
	}
	want := []string{"2s UpdateRunProgressing", "2s canaryStageUpdatingStarted", "3s Stop", "4s UpdateRunStopped", "4s canaryStageUpdatingStopped"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if other := changesOf(d, engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "another")); other != nil {
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
	changes := changesOf(d, first)
	if len(changes) != diaryEntries || changes[len(changes)-1].Condition.Reason != fmt.Sprint("Reason", 2*diaryEntries) {
		t.Errorf("%d changes, the last %v", len(changes), changes[len(changes)-1])
	}
	for i := range diaryRuns {
		d.note(seenRun(engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", fmt.Sprint("u", i)), placement.StateRun, "x", ""), at)
	}
	if changesOf(d, first) != nil || len(d.runs) != diaryRuns || len(d.order) != diaryRuns {
		t.Errorf("%d runs, %d in order", len(d.runs), len(d.order))
	}
}

// Messages of any length do not fill the memory: the oldest changes go, the latest of the
// run that changes stays, even if it alone is too long.
func TestDiaryBoundsItsMessages(t *testing.T) {
	d := newDiary(time.Time{})
	id := func(n int) engine.ID {
		return engine.NewID(engine.KindClusterStagedUpdateRun, "", fmt.Sprint("r", n), "u")
	}
	say := func(n int, reason string, bytes int) {
		o := seenRun(id(n), placement.StateRun, reason, reason)
		run := o.Value.(*placement.StagedUpdateRun)
		run.Status.Conditions[0].Message = strings.Repeat("x", bytes)
		run.Status.StagesStatus[0].Conditions[0].Message = strings.Repeat("y", bytes)
		d.note(o, time.Time{})
	}
	for i := range 30 {
		for n := range 3 {
			say(n, fmt.Sprint("Reason", i), 1<<20)
		}
	}
	held := 0
	for n := range 3 {
		for _, c := range changesOf(d, id(n)) {
			held += len(c.Condition.Message)
		}
		if m := d.runs[id(n)].last; m.run[0].Message != "" || m.stages[0].conditions[0].Message != "" {
			t.Errorf("run %d holds the messages of its last state", n)
		}
	}
	if held > diaryBytes || held != d.bytes || held < diaryBytes/2 {
		t.Errorf("holds %d bytes of messages and counts %d, want up to %d", held, d.bytes, diaryBytes)
	}
	if c := changesOf(d, id(2)); len(c) == 0 || c[len(c)-1].Condition.Reason != "Reason29" {
		t.Errorf("the latest change is lost: %d are kept", len(c))
	}
	say(2, "Long", diaryBytes+1)
	if c := changesOf(d, id(2)); len(c) != 1 || c[0].Condition.Reason != "Long" || len(changesOf(d, id(0))) > 0 {
		t.Errorf("%d changes are kept beside one that is too long", len(c))
	}
}
