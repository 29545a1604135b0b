//go:build unix

package cli

import (
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/internal/tty"
)

// A second signal does not end a process that is about to end because of the first: it would end
// with the code of the signal. This test ends with its process if it fails.
func TestASecondSignalIsIgnored(t *testing.T) {
	defer signal.Reset(tty.EndSignals()...)
	ctx, end := (&terminal{}).untilSignal(t.Context())
	send := func(s syscall.Signal) {
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	send(syscall.SIGTERM)
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("a signal does not end the context")
	}
	end()
	send(syscall.SIGINT) // one that nobody catches ends the process before the call returns
}
