package watch

import (
	"context"

	"github.com/stagewatch/stagewatch/engine/act"
)

// Do sends the write request of a confirmed Intent, and returns the outcome, which
// may be unknown. After a conflict it sends a second one if everything that was
// shown still holds; a request whose answer was lost is never sent again
// (docs/architecture.md#writes). ctx ends the request, not the reads that determine
// the outcome.
func (s *Session) Do(ctx context.Context, i act.Intent) act.Outcome { return s.writes.Do(ctx, i) }
