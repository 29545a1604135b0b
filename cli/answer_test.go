//go:build linux || darwin

package cli_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestQuestionWithoutAScreen checks that only an answer typed after the question
// confirms an act (docs/promises.md#i7).
func TestQuestionWithoutAScreen(t *testing.T) {
	t.Parallel()
	d := tour(t)
	newWitness(t, d.kubeconfig).eventually("/clusterstagedupdateruns/search-r12", "an initialized run", func(o *object) bool { return o.condition("Initialized") != nil })
	c := newCheckpoint(t, d)
	const question = `Type y to stop:`
	tests := []struct {
		name   string
		ahead  string // typed before the question
		answer string
		code   int
		says   string
	}{
		{"ctrl-c", "", "\x03", 130, "interrupted; nothing was sent"},
		{"end of input", "", "\x04", 130, "not confirmed"},
		{"enter", "", "\r", 130, "not confirmed"},
		{"no", "", "n\r", 130, "not confirmed"},
		{"the whole word", "", "yes\r", 130, "not confirmed"},
		{"pasted a hundred times", "", strings.Repeat("y\n", 100), 130, "more than one line"},
		{"typed ahead, then enter", "y", "\r", 130, "not confirmed"},
		{"lines typed ahead, then ctrl-c", strings.Repeat("y\n", 20), "\x03", 130, "interrupted"},
		{"y", "", "y\r", 7, "stopped at the checkpoint"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, before := c.noted()
			s := start(t, 160, 50, nil, "/bin/sh", "-c", `exec "$0" "$@" 2>&1`, stagewatch(t), "--kubeconfig", c.kubeconfig, "stop", "search-r12")
			s.keys(tt.ahead)
			s.see(question)
			s.keys(tt.answer)
			if code := s.ended(patience); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			s.said(tt.says)
			want := slices.Clone(before)
			if tt.code == 7 {
				want = append(want, "PATCH /clusterstagedupdateruns/search-r12")
			}
			if _, written := c.noted(); !slices.Equal(written, want) {
				t.Errorf("written: %v", written[len(before):])
			}
		})
	}
}

// said waits until a program that has ended is read to its last words.
func (s *session) said(words string) {
	s.t.Helper()
	for deadline := time.After(patience); ; {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if strings.Contains(s.wroteRaw(), words) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Errorf("it does not say %q:\n%s", words, s.screen())
			return
		}
	}
}
