//go:build linux || darwin

package cli_test

import (
	"strings"
	"testing"
)

// On 80 columns and 18 rows the clone dialog never fits. What it does, its warnings
// and what cannot be undone are there to scroll to, and nothing is created before the
// end was on the screen.
func TestCloneOnASmallScreen(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	s := start(t, 80, 18, nil, stagewatch(t), "--kubeconfig", d.kubeconfig, "--stuck-after", "20s", "csur/search-r12")
	s.see(`STUCK for`)
	s.see(`● live`)
	s.see(`Runs › search-r12`)
	const name, run = "search-r13", "/clusterstagedupdateruns/search-r13"
	t.Cleanup(func() { w.send("DELETE", run, "") })
	s.keys("C")
	s.see(`effect +The new run rolls out the newest resources of placement`)
	s.see(`Scroll down before you confirm: pgdn, \d+ lines? more`)
	settled(s)
	s.keys(name)
	settled(s)
	s.keys("\r")
	settled(s)
	s.see(`Scroll down before you confirm`) // enter was taken, and the dialog still stands
	if code, _ := w.ask(run); code != 404 {
		t.Fatalf("the run was created before its dialog was read: %d\n%s", code, s.screen())
	}
	toTheEnd := func() (read string) {
		read = s.screen()
		for n := 0; strings.Contains(s.screen(), "Scroll down before you confirm"); n++ {
			if n == 20 {
				t.Fatalf("the end is never seen:\n%s", s.screen())
			}
			s.keys("\x1b[6~")
			settled(s)
			read += s.screen()
		}
		return read
	}
	read := toTheEnd()
	s.gone(`server dry run in progress`) // its warnings come with it
	settled(s)
	read += toTheEnd()
	for _, want := range []string{"This run (STUCK) is unfinished", "This run is stuck on snapshot", "undo      Delete the new run"} {
		if !strings.Contains(read, want) {
			t.Errorf("the dialog lacks %q:\n%s", want, read)
		}
	}
	s.keys("\r")
	if o := w.eventually(run, "the new run", func(*object) bool { return true }); o.Spec.State != "Initialize" {
		t.Errorf("state %s", o.Spec.State)
	}
	leave(t, s)
}
