package watch

import (
	"context"

	"github.com/stagewatch/stagewatch/engine/page"
)

// Ask reads the answer to a Question, outside of the feed and with a deadline.
// The Answer carries the Question.
func (s *Session) Ask(ctx context.Context, q page.Question) page.Answer {
	switch q := q.(type) {
	case page.DryRunQuestion:
		return s.writes.Rehearse(ctx, q)
	case page.SelectQuestion:
		return s.selected(ctx, q)
	}
	return s.asks.Answer(ctx, q)
}
