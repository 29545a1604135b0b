// Package bench measures what a session costs on hubs of several sizes, as ratios to a
// floor that is measured in the same run.
package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stagewatch/stagewatch/api/crds"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/watch"
)

// Size is how many runs a measured hub has, and how many clusters each.
type Size struct {
	Runs, Clusters int
}

// String is the size as in 20 x 50.
func (s Size) String() string { return fmt.Sprintf("%d x %d", s.Runs, s.Clusters) }

// Measurement is one figure of a bench: the median of its samples.
type Measurement struct {
	What  string
	Value float64
	Unit  string
	// Floor is the least that any program would need for the same, measured in
	// the same run and in the same unit. Zero: there is none.
	Floor   float64
	FloorOf string
}

// Ratio is the figure in multiples of its floor, 0 where there is none.
func (m Measurement) Ratio() float64 {
	if m.Floor == 0 {
		return 0
	}
	return m.Value / m.Floor
}

// Run starts one hub for each size and measures, times over, what a session
// of the monitor costs there: time to the first rows and to the complete list,
// time from a change to the screen, and memory. It passes each figure to tell
// at once. Other work on the machine distorts the figures, ratios less so.
func Run(ctx context.Context, sizes []Size, times int, tell func(Measurement) error) error {
	for i, size := range sizes {
		if err := benchHub(ctx, size, times, i == 0, tell); err != nil {
			return fmt.Errorf("measure %s: %w", size, err)
		}
	}
	return nil
}

func benchHub(ctx context.Context, size Size, times int, first bool, tell func(Measurement) error) (err error) {
	manifests, err := crds.All()
	if err != nil {
		return err
	}
	began := time.Now()
	h, err := hub.Start(ctx, hub.Options{})
	if err != nil {
		return fmt.Errorf("start hub: %w", err)
	}
	defer func() { err = errors.Join(err, h.Stop()) }()
	if err := h.InstallCRDs(ctx, manifests...); err != nil {
		return err
	}
	if first {
		ready := Measurement{What: "hub ready, with its kinds", Value: milliseconds(time.Since(began)), Unit: unitTime}
		if err := tell(ready); err != nil {
			return err
		}
	}
	b, err := newBench(h.AdminConfig(), size, times)
	if err != nil {
		return err
	}
	if err := b.seed(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context) ([]Measurement, error){b.load, b.change, b.memory} {
		figures, err := measure(ctx)
		if err != nil {
			return err
		}
		for _, figure := range figures {
			figure.What = size.String() + ": " + figure.What
			if err := tell(figure); err != nil {
				return err
			}
		}
	}
	return nil
}

// seed creates the runs, each with all but one of its clusters done.
func (b *bench) seed(ctx context.Context) error {
	for i := range b.size.Runs {
		run := benchRun(fmt.Sprintf("bench-%04d", i), b.size.Clusters)
		if _, err := b.world.Runs.Place(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

// benchRun is a run in its only stage, as a hub stores it.
func benchRun(name string, clusters int) *placement.StagedUpdateRun {
	at := metav1.NewTime(time.Now().Add(-time.Minute))
	condition := func(kind, reason, message string) metav1.Condition {
		return metav1.Condition{
			Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message,
			ObservedGeneration: 1, LastTransitionTime: at,
		}
	}
	started := condition(placement.ClusterStarted, placement.ReasonClusterStarted, "Cluster update started")
	done := condition(placement.ClusterSucceeded, placement.ReasonClusterSucceeded, "Cluster update completed successfully")
	list := make([]placement.ClusterStatus, clusters)
	for i := range list {
		list[i] = placement.ClusterStatus{
			ClusterName: fmt.Sprintf("member-%05d", i), Conditions: []metav1.Condition{started},
		}
		if i+1 < clusters {
			list[i].Conditions = append(list[i].Conditions, done)
		}
	}
	moving := condition(placement.RunProgressing, placement.ReasonRunProgressing, "The update run is making progress")
	atOnce := intstr.FromInt32(1)
	return &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: placement.UpdateRunSpec{
			PlacementName: name, StagedRolloutStrategyName: "bench", State: placement.StateRun,
		},
		Status: placement.UpdateRunStatus{
			StagedUpdateStrategySnapshot: &placement.UpdateStrategySpec{
				Stages: []placement.StageConfig{{Name: "prod", MaxConcurrency: &atOnce}},
			},
			StagesStatus: []placement.StageStatus{{
				StageName: "prod", Clusters: list, StartTime: &at,
				Conditions: []metav1.Condition{moving},
			}},
			Conditions: []metav1.Condition{
				condition(placement.RunInitialized, placement.ReasonRunInitialized, "The UpdateRun initialized successfully"),
				moving,
			},
		},
	}
}

// loaded waits until the session knows all its runs whole. It returns how long
// the first rows took, and all.
func (b *bench) loaded(ctx context.Context, s *watch.Session, began time.Time) (rows, whole time.Duration, err error) {
	for {
		snap, err := s.Next(ctx)
		if err != nil {
			return 0, 0, err
		}
		if rows == 0 && len(snap.Runs) == b.size.Runs {
			rows = time.Since(began)
		}
		if snap.Complete && snap.WritesOff.IsZero() {
			return rows, time.Since(began), nil
		}
	}
}
