package watch

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

const (
	// memberRuns bounds for how many runs of a list a member is asked, membersAtOnce
	// how many are asked at the same time, and membersWait how long all of it takes.
	memberRuns    = 32
	membersAtOnce = 4
	membersWait   = 8 * time.Second
)

// askMembers reads from the members what the diagnoses of the chosen rows depend on, those
// first of which the cause is open, and returns the Snapshot that they make. A run
// whose member was not asked keeps its gap.
func (s *Session) askMembers(ctx context.Context, last *engine.Snapshot, chosen map[engine.ID]bool) *engine.Snapshot {
	asked := asksMember(Rows(last, chosen))
	if s.cfg.Members == nil || len(asked) == 0 {
		return last
	}
	s.says(engine.Textf("querying the members of %s", engine.Count(len(asked), "run")))
	limited, cancel := context.WithTimeout(ctx, membersWait)
	defer cancel()
	free := make(chan struct{}, membersAtOnce)
	var asks task.Reads
	for _, v := range asked {
		asks.Go(func() {
			select {
			case free <- struct{}{}:
				defer func() { <-free }()
				s.Ask(limited, memberQuestion(v, v.Why.Member))
			case <-limited.Done():
			}
		})
	}
	asks.Wait()
	limited, cancel = context.WithTimeout(ctx, reportWait)
	defer cancel()
	for {
		next, err := s.Next(limited)
		if err != nil {
			return last
		}
		last = next
		if !waitsForReports(next, asked) {
			return next
		}
	}
}

// asksMember lists the runs whose members may know more, those first of which the
// member decides the cause.
func asksMember(rows []*engine.RunView) []*engine.RunView {
	var open, rest []*engine.RunView
	for _, v := range rows {
		switch {
		case !v.Why.AsksMember || !v.InTrouble():
		case v.Why.Unread.IsZero():
			rest = append(rest, v)
		default:
			open = append(open, v)
		}
	}
	all := append(open, rest...)
	return all[:min(len(all), memberRuns)]
}

// waitsForReports reports whether the diagnosis of a run that was asked about is not
// made from the answer yet.
func waitsForReports(s *engine.Snapshot, asked []*engine.RunView) bool {
	for _, v := range asked {
		if now := s.Find(v.ID); now != nil && now.Why.AsksMember && now.Why.Member == v.Why.Member || s.Awaits(v.ID) {
			return true
		}
	}
	return false
}

// memberQuestion asks the member of a run what keeps its workloads from becoming
// ready, without a person.
func memberQuestion(v *engine.RunView, member engine.ID) page.PodsQuestion {
	return page.PodsQuestion{Placement: v.Placement, Run: v.ID, Member: member}
}
