package tty

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPromptForgetsWhatCameBefore checks that lines typed before the question, however
// long they come, are no answer, and that the question waits for silence.
func TestPromptForgetsWhatCameBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		go func() {
			for range 20 { // within the silence, again and again
				time.Sleep(promptSilence - 10*time.Millisecond)
				io.WriteString(typing, "before\n")
			}
			time.Sleep(2 * promptSilence)
			io.WriteString(typing, "after\n")
		}()
		defer typing.Close()
		begin := time.Now()
		var asked strings.Builder
		answer, err := (&Prompt{In: in}).Ask(context.Background(), &asked, "Stop?")
		if err != nil || answer != "after" || asked.String() != "Stop?" {
			t.Errorf("answer %q, asked %q, %v", answer, asked.String(), err)
		}
		if took := time.Since(begin); took < 20*(promptSilence-10*time.Millisecond)+promptSilence {
			t.Errorf("asked and answered after %s", took)
		}
	})
}

// TestPromptTakesOneLine checks that several lines at once are no answer.
func TestPromptTakesOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		go func() {
			time.Sleep(2 * promptSilence)
			io.WriteString(typing, "y\ny\n")
			typing.Close()
		}()
		if _, err := (&Prompt{In: in}).Ask(context.Background(), io.Discard, "Stop?"); !errors.Is(err, ErrManyLines) {
			t.Errorf("got %v", err)
		}
	})
}
