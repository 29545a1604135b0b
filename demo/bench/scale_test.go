package bench

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// A run of a hub of a size updates one cluster at a time, since the moment at which that one was
// started, however long the hub runs.
func TestProgressOfAScale(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	s := &seeder{size: Size{Runs: 2, Clusters: 30}, now: began}
	now := began.Add(10 * time.Minute)
	run := s.progress(0, 5, now)
	updating := 0
	for i, c := range run.Status.StagesStatus[0].Clusters {
		started, done := meta.FindStatusCondition(c.Conditions, placement.ClusterStarted), meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
		if started != nil && !done {
			if updating++; !started.LastTransitionTime.Time.Equal(now) {
				t.Errorf("cluster %d is updated since %v", i, started.LastTransitionTime)
			}
		}
		if done != (i < 5) {
			t.Errorf("cluster %d is done: %v", i, done)
		}
	}
	if updating != 1 || !run.CreationTimestamp.Time.Equal(began.Add(-time.Minute)) {
		t.Errorf("%d clusters are updated, created %v", updating, run.CreationTimestamp)
	}
}

// A fleet has a joined member for each cluster of its runs, which is heard for longer than a hub is
// measured: else every run would be one with members in trouble.
func TestMembersOfAScale(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	stored := map[string]any{}
	s := &seeder{size: Size{Runs: 2, Clusters: 30, Bindings: 5}, now: began, put: func(_ schema.GroupResource, name string, object any) error {
		stored[name] = object
		return nil
	}}
	if err := s.seed(); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.run(0, 1, 5).Status.StagesStatus[0].Clusters {
		m, ok := stored[c.ClusterName].(*cluster.MemberCluster)
		if !ok || !meta.IsStatusConditionTrue(m.Status.Conditions, cluster.MemberJoined) || !m.Status.AgentStatus[0].LastReceivedHeartbeat.Time.Equal(began) ||
			time.Duration(m.Spec.HeartbeatPeriodSeconds)*time.Second != beatEvery {
			t.Errorf("member %s: %+v", c.ClusterName, m)
		}
	}
}

// The runs of a hub that took no writes for a while make progress again.
func TestAScaleGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, written := time.Now(), time.Time{}
		stopped := func() bool {
			since := time.Since(began)
			return since > 10*time.Second && since < 20*time.Second || since > time.Minute
		}
		write := func() error {
			if stopped() {
				return errors.New("request timed out")
			}
			written = time.Now()
			return nil
		}
		s := &seeder{
			size: Size{Runs: 2, Clusters: 30}, now: began,
			put:    func(schema.GroupResource, string, any) error { return write() },
			change: func(string, func(*placement.StagedUpdateRun) bool) error { return write() },
		}
		for _, tt := range []struct {
			until time.Duration
			fails bool
		}{{40 * time.Second, false}, {80 * time.Second, true}} {
			ctx, cancel := context.WithTimeout(t.Context(), tt.until-time.Since(began))
			if err := s.move(ctx); (err != nil) != tt.fails {
				t.Errorf("after %v: %v", tt.until, err)
			}
			cancel()
			if since := time.Since(written); !tt.fails && since > 2*roundOf*progressEvery {
				t.Errorf("nothing was written for %v", since)
			}
		}
	})
}

// A run of a hub of a size keeps what was written to it, and makes no progress when it is stopped or deleted.
func TestAScaleKeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	var put *placement.StagedUpdateRun
	s := &seeder{size: Size{Runs: 2, Clusters: 30}, now: time.Now()}
	for _, tt := range []struct {
		state   placement.State
		deleted bool
		moves   bool
	}{{placement.StateRun, false, true}, {placement.StateStop, false, false}, {placement.StateRun, true, false}} {
		put = nil
		s.change = func(_ string, change func(*placement.StagedUpdateRun) bool) error {
			run := s.run(0, 1, 3)
			if run.Spec.State, run.Generation, run.Labels = tt.state, 5, map[string]string{"team": "web"}; tt.deleted {
				run.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			if change(run) {
				put = run
			}
			return nil
		}
		if err := s.advance(0, 7, time.Now()); err != nil || (put != nil) != tt.moves {
			t.Fatalf("%+v: %+v, %v", tt, put, err)
		}
		if put != nil && (put.Generation != 5 || put.Labels["team"] != "web" || !meta.IsStatusConditionTrue(put.Status.StagesStatus[0].Clusters[6].Conditions, placement.ClusterSucceeded)) {
			t.Errorf("written: %+v", put)
		}
	}
}
