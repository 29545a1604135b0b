package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// reads counts the rows that were read.
type reads struct{ atomic.Int32 }

func (r *reads) Run(*world.Case) engine.Diagnosis {
	r.Add(1)
	return engine.Diagnosis{}
}

func (*reads) Cluster(*world.Case, *world.CaseCluster) (engine.Text, engine.Diagnosis) {
	return engine.Text{}, engine.Diagnosis{}
}

// countingFeed is a feed that does not run yet, and how many rows it has read.
func countingFeed() (*bench, *reads) {
	rows := &reads{}
	b := &bench{in: NewInbox()}
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	w.Triage = rows
	b.feed = NewFeed(b.in, w, b.link, func() time.Duration { return 0 }, func(Publication) {}, func(time.Time) {})
	b.sink = b.in.Open(runsKey)
	return b, rows
}

// When the last of the runs and approval requests has come, rows wait for the link, which says
// right afterwards that they are live: they are made once. They do not wait for long.
func TestRowsWaitForTheLink(t *testing.T) {
	for what := range 3 {
		comes, others := what == 1, what == 2
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b, rows := countingFeed()
			approvals := b.in.Open(world.CoverAll(engine.KindClusterApprovalRequest))
			b.in.Open(world.CoverAll(engine.KindClusterResourcePlacement))
			go b.feed.Run(ctx)
			time.Sleep(time.Second)
			synctest.Wait()
			b.take()
			if !others {
				approvals.Replace(nil)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			b.take()
			b.sink.Replace([]*Object{runObject("a", "u", 1, "p"), runObject("b", "v", 1, "p")})
			synctest.Wait()
			if others { // are still loading: nobody says that the rows are live
				if s := b.take(); s == nil || len(s.Runs) != 2 || rows.Load() != 2 {
					t.Errorf("%d rows were made at once, %+v", rows.Load(), s)
				}
				return
			}
			if got := rows.Load(); got != 0 {
				t.Errorf("%d rows were made before the link", got)
			}
			time.Sleep(linkWait / 5)
			if comes {
				b.hear()
			} else {
				time.Sleep(linkWait)
			}
			synctest.Wait()
			if s := b.take(); s == nil || len(s.Runs) != 2 || comes != (s.Link.State == engine.LinkLive) || rows.Load() != 2 {
				t.Errorf("the link says so %v: %d rows were made, %+v", comes, rows.Load(), s)
			}
		})
	}
}

// While sets are loading, all rows are read again once for all of them: when the last one is
// there, or after allWithin if that does not come.
func TestRowsAreReadAgainOnceWhileLoading(t *testing.T) {
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b, rows := countingFeed()
			others := []*Sink{b.in.Open(world.CoverAll(engine.KindClusterApprovalRequest)), b.in.Open(world.CoverAll(engine.KindClusterResourcePlacement))}
			after := func(d time.Duration, want int32, when string) {
				t.Helper()
				time.Sleep(d)
				synctest.Wait()
				if got := rows.Load(); got != want {
					t.Errorf("%s: %d rows were read, want %d", when, got, want)
				}
			}
			var all []*Object
			for i := range 3 {
				all = append(all, runObject(fmt.Sprint("run-", i), fmt.Sprint("u", i), 1, "p"))
				b.sink.Put(all[i])
			}
			// They are of one placement: if the feed ran before, it could read the first ones once more with the last.
			go b.feed.Run(ctx)
			after(publishEvery, 3, "objects came")
			b.sink.Replace(all)
			after(publishEvery, 3, "the runs are complete")
			others[0].Replace(nil)
			after(publishEvery, 3, "one set is still loading")
			if !comes {
				after(allWithin-3*publishEvery, 3, "nothing came")
				after(3*publishEvery, 6, "nothing came for too long")
				after(allWithin, 6, "nothing came for longer")
			}
			others[1].Replace(nil)
			b.hear()
			want := int32(6)
			if !comes {
				want = 9
			}
			after(publishEvery, want, "all is there")
			after(allWithin, want, "nothing happens")
			if s := b.take(); s == nil || !s.Complete || len(s.Runs) != 3 {
				t.Errorf("snapshot %+v", s)
			}
		})
	}
}
