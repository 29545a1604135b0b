package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
)

// stuckWait is how long what runs without a screen may go on after a signal: longer than it
// waits for the answer to a write.
const stuckWait = 4 * leaveWait

// profileWait is how long a process that ends at once waits for its profiles (of the CPU: 200 ms).
const profileWait = 5 * time.Second

// untilSignal returns a context that a signal ends, for a command without a screen and for a
// login; other signals do nothing then. What still runs after stuckWait is ended with the process.
func (t *terminal) untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, tty.EndSignals()...)
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ended:
			return
		}
		select {
		case <-time.After(stuckWait):
		case <-ended:
			return
		}
		t.profiles.Abandon(profileWait)
		os.Exit(exit.Interrupted)
	}()
	return ctx, sync.OnceFunc(func() {
		if ctx.Err() == nil { // else the process is about to end, with the code for that
			signal.Stop(signals)
		}
		close(ended)
		cancel()
	})
}
