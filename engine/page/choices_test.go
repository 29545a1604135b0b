package page_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// groupOf is a resource snapshot of an index with so many resources.
func groupOf(index string, resources int, latest bool) placement.ResourceSnapshot {
	s := placement.ResourceSnapshot{ObjectMeta: metav1.ObjectMeta{
		Name:              "web-" + index + "-snapshot",
		Labels:            map[string]string{placement.LabelResourceIndex: index},
		CreationTimestamp: metav1.NewTime(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)),
	}}
	if latest {
		s.Labels[placement.LabelIsLatestSnapshot] = "true"
	}
	s.Spec.SelectedResources = make([]placement.ResourceContent, resources)
	for i := range s.Spec.SelectedResources {
		s.Spec.SelectedResources[i].RawExtension = runtime.RawExtension{Raw: []byte("{}")}
	}
	return s
}

func onIndex(index string) placement.ResourceBinding {
	var b placement.ResourceBinding
	b.Spec.ResourceSnapshotName = "web-" + index + "-snapshot"
	return b
}

func TestChoices(t *testing.T) {
	external := placement.ResourcePlacement{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	external.Spec.Strategy.Type = placement.RolloutExternal
	rolling := placement.ResourcePlacement{ObjectMeta: metav1.ObjectMeta{Name: "api"}}
	strategy := &placement.StagedUpdateStrategy{ObjectMeta: metav1.ObjectMeta{Name: "slow"}}
	strategy.Spec.Stages = []placement.StageConfig{
		{Name: "canary", AfterStageTasks: []placement.StageTask{{Type: placement.TaskApproval}, {Type: placement.TaskTimedWait}}},
		{Name: "prod", BeforeStageTasks: []placement.StageTask{{Type: placement.TaskApproval}}},
	}
	refused := strategy.DeepCopy()
	refused.Name = "unfit"
	a := page.ChoicesAnswer(page.ChoicesFacts{
		Placements: []placement.ResourcePlacement{external, rolling},
		Strategies: []*placement.StagedUpdateStrategy{strategy, refused},
		Refused:    map[string]engine.Text{"unfit": engine.Lit("some clusters are not placed")},
		Resources:  []placement.ResourceSnapshot{groupOf("3", 1, false), groupOf("10", 2, true), groupOf("4", 2, false)},
		Bindings:   []placement.ResourceBinding{onIndex("4"), onIndex("4"), onIndex("3"), {}},
	})
	c := a.Choices
	if len(c.Placements) != 2 || c.Placements[0].Name.String() != "api" || !c.Placements[0].Odd || c.Placements[1].Odd {
		t.Errorf("placements %+v", c.Placements)
	}
	if len(c.Strategies) != 2 || c.Strategies[0].Odd || !c.Strategies[1].Odd || c.Strategies[1].About.String() != "fails: some clusters are not placed" || c.Strategies[0].About.String() != "canary and prod; 2 approvals; 1 wait" {
		t.Errorf("strategies %+v", c.Strategies)
	}
	var got []string
	for _, o := range c.Snapshots {
		got = append(got, engine.Textf("%s %s %d %v %v", o.Name, o.About, o.Clusters, o.Latest, o.Odd).String())
	}
	want := []string{"10 2 resources 0 true false", "4 2 resources 2 false false", "3 1 resource 1 false false"}
	if !slices.Equal(got, want) || c.Newest().String() != "10" {
		t.Errorf("snapshots %q, newest %s", got, c.Newest())
	}
	for _, tt := range []struct {
		name        string
		index, used engine.Text
		want        string
	}{
		{"what clusters have, most first", engine.Lit("10"), engine.Lit("4"), "4 3"},
		{"the run's too, though not on any cluster", engine.Lit("4"), engine.Lit("10"), "3 10"},
		{"one that is gone", engine.Lit("3"), engine.Lit("1"), "4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := engine.Join(c.Against(tt.index, tt.used), " ").String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A new run names a snapshot by its label, since the controller compares the label as text.
func TestChoicesNameTheLabelOfASnapshot(t *testing.T) {
	c := page.ChoicesAnswer(page.ChoicesFacts{Resources: []placement.ResourceSnapshot{groupOf("07", 1, true)}}).Choices
	if len(c.Snapshots) != 1 || c.Snapshots[0].Name.String() != "07" {
		t.Errorf("snapshots %+v", c.Snapshots)
	}
}

// Labels are compared as text: snapshots of labels 7 and 07 are two, each with its own clusters.
func TestSnapshotsOfLikeLabels(t *testing.T) {
	resources := []placement.ResourceSnapshot{groupOf("7", 1, false), groupOf("07", 1, true), groupOf("x", 1, false)}
	bindings := []placement.ResourceBinding{onIndex("7"), onIndex("07"), onIndex("07")}
	want := map[string]int{"7": 1, "07": 2, "x": 0}
	for _, o := range page.ChoicesAnswer(page.ChoicesFacts{Resources: resources, Bindings: bindings}).Choices.Snapshots {
		if n, ok := want[o.Name.String()]; !ok || n != o.Clusters {
			t.Errorf("choice %s: on %d clusters, want %d", o.Name, o.Clusters, n)
		}
	}
	a := page.PlacementPage(page.PlacementFacts{Resources: resources, Bindings: bindings})
	keys := map[engine.Text]bool{}
	for i := range a.Sections {
		if a.Sections[i].Title.String() != "resource snapshots" {
			continue
		}
		for _, r := range a.Sections[i].Rows {
			keys[r.Key] = true
			if n, ok := want[r.Cells[0].Text.String()]; !ok || r.Cells[4].Text != page.NumberText(n) {
				t.Errorf("row %s: on %s clusters, want %d", r.Cells[0].Text, r.Cells[4].Text, n)
			}
			if q, ok := r.Page.(page.SnapshotsQuestion); ok && (q.From < 0 || q.From == q.To) {
				t.Errorf("row %s compares %d with %d", r.Cells[0].Text, q.From, q.To)
			}
		}
	}
	if len(keys) != len(resources) {
		t.Errorf("the keys of the rows are %v", keys)
	}
}

func TestChoicesLack(t *testing.T) {
	c := page.ChoicesAnswer(page.ChoicesFacts{
		Placements: []placement.ResourcePlacement{{ObjectMeta: metav1.ObjectMeta{Name: "apex"}}, {ObjectMeta: metav1.ObjectMeta{Name: "web"}}},
		Resources:  []placement.ResourceSnapshot{},
	}).Choices
	for _, tt := range []struct {
		name                   string
		place, strategy, index engine.Text
		want, hint             string
	}{
		{"all there", engine.Lit("web"), engine.Text{}, engine.Text{}, "", ""},
		{"no placement", engine.Lit("webb"), engine.Text{}, engine.Text{}, "placement webb not found", "Use one that exists: web and apex."},
		{"strategies were not read", engine.Lit("web"), engine.Lit("slow"), engine.Text{}, "", ""},
		{"there are none", engine.Lit("web"), engine.Text{}, engine.Lit("0"), "snapshot 0 not found for the placement", "The placement has no snapshot yet: leave the index out."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.Lacks(tt.place, tt.strategy, tt.index); got.Why.String() != tt.want || got.Hint.String() != tt.hint {
				t.Errorf("got %+v, want %q and %q", got, tt.want, tt.hint)
			}
		})
	}
}

func TestStrategiesPage(t *testing.T) {
	place := engine.NewID(engine.KindClusterResourcePlacement, "", "web", "p")
	a := page.StrategiesPage(place, engine.Choices{Strategies: []engine.Option{{Name: engine.Lit("fast"), About: engine.Lit("prod")}, {Name: engine.Lit("slow"), About: engine.Lit("canary and prod")}}})
	rows := a.Sections[0].Rows
	want := page.NewRunQuestion{Placement: place, Strategy: engine.Lit("slow")}
	if len(rows) != 2 || rows[1].Page != want || rows[1].Cells[1].Text != engine.Lit("canary and prod") || rows[0].Key == rows[1].Key || a.Object != place {
		t.Errorf("rows %+v", rows)
	}
	for _, tt := range []struct {
		c    engine.Choices
		want string
	}{
		{engine.Choices{Strategies: []engine.Option{}}, "No strategy exists"},
		{engine.Choices{Gaps: []engine.Gap{{What: engine.Lit("strategies"), Why: engine.Lit("you may not list them")}}}, "not shown: you may not list them"},
	} {
		s := page.StrategiesPage(place, tt.c).Sections[0]
		if len(s.Rows) != 1 || !strings.Contains(s.Rows[0].Cells[0].Text.String(), tt.want) || !s.Rows[0].Key.IsZero() {
			t.Errorf("want %q, got %+v", tt.want, s.Rows)
		}
	}
}
