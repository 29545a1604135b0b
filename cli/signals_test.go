//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// interruptedTwice is in the environment of the process that TestASecondSignalIsIgnored starts, and
// endsWith how that ends.
const (
	interruptedTwice = "STAGEWATCH_TEST_INTERRUPTED_TWICE"
	endsWith         = 7
)

// A second signal does not end a process that is about to end because of the first: it would end
// with the code of the signal.
func TestASecondSignalIsIgnored(t *testing.T) {
	if os.Getenv(interruptedTwice) != "" {
		interruptTwice()
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestASecondSignalIsIgnored$")
	cmd.Env = append(os.Environ(), interruptedTwice+"=1")
	out, err := cmd.CombinedOutput()
	if code := (*exec.ExitError)(nil); !errors.As(err, &code) || code.ExitCode() != endsWith {
		t.Errorf("%v\n%s", err, out)
	}
}

// interruptTwice ends this process with endsWith if a signal after the first does nothing.
func interruptTwice() {
	send := func(s syscall.Signal) {
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			os.Exit(1)
		}
	}
	later := make(chan os.Signal, 1)
	signal.Notify(later, syscall.SIGUSR1)
	ctx, end := (&terminal{}).untilSignal(context.Background())
	send(syscall.SIGTERM)
	<-ctx.Done()
	end()
	send(syscall.SIGINT)
	for range 100 { // when all of these have come, it has
		send(syscall.SIGUSR1)
		<-later
	}
	os.Exit(endsWith)
}
