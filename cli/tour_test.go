//go:build linux || darwin

package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The whole way of a person with a keyboard: the built programs, a hub in
// another process, a terminal, and a witness who asks the hub what it holds.
func TestTourWithKeys(t *testing.T) {
	t.Parallel()
	d := tour(t)
	w := newWitness(t, d.kubeconfig)
	open := func(t *testing.T, args ...string) *session {
		t.Helper()
		s := start(t, 138, 50, nil, stagewatch(t), append([]string{"--kubeconfig", d.kubeconfig, "--stuck-after", "20s"}, args...)...)
		// Writes are off until every list is there.
		s.see(`live +\d+s +\d+ runs`)
		if len(args) > 0 {
			// So are they until the run that was asked for is open.
			s.see(`Runs › .*` + args[len(args)-1])
		}
		return s
	}

	t.Run("every state shows together", func(t *testing.T) {
		s := open(t)
		s.until("all states of the tour", 90*time.Second, func(screen string) bool {
			for _, row := range tourRows {
				if !hasRow(screen, row.word, row.run) {
					return false
				}
			}
			return true
		})
		leave(t, s)
	})

	t.Run("approve, with the request's generation", func(t *testing.T) {
		s := open(t, "ingress-gateway-r6")
		s.see(`APPROVAL`)
		const request = "/clusterapprovalrequests/ingress-gateway-r6-after-canary"
		confirmByName(s, "A", "canary")
		o := w.eventually(request, "an approval that is accepted", func(o *object) bool {
			c := o.condition("ApprovalAccepted")
			return c != nil && c.Status == "True"
		})
		a := o.condition("Approved")
		if a == nil || a.Status != "True" || a.ObservedGeneration != o.Metadata.Generation {
			t.Errorf("approved is %+v at generation %d", a, o.Metadata.Generation)
		}
		if a != nil && !strings.Contains(a.Message, "stagewatch") {
			t.Errorf("the message does not say who did it: %q", a.Message)
		}
		s.gone(`APPROVAL`)
		leave(t, s)
	})

	t.Run("repair an approval that was not accepted", func(t *testing.T) {
		s := open(t, "identity-r24")
		s.see(`NOT ACCEPTED`)
		confirmByName(s, "A", "prod")
		w.eventually("/clusterapprovalrequests/identity-r24-before-prod", "a repaired approval", func(o *object) bool {
			a, c := o.condition("Approved"), o.condition("ApprovalAccepted")
			return a != nil && a.ObservedGeneration == o.Metadata.Generation && c != nil && c.Status == "True"
		})
		s.gone(`NOT ACCEPTED`)
		leave(t, s)
	})

	t.Run("approve in a namespace", func(t *testing.T) {
		s := open(t, "team-web/catalog-r7")
		s.see(`APPROVAL`)
		confirmByName(s, "A", "prod")
		w.eventually("/namespaces/team-web/approvalrequests/catalog-r7-before-prod", "an approval that is accepted", func(o *object) bool {
			c := o.condition("ApprovalAccepted")
			return c != nil && c.Status == "True"
		})
		leave(t, s)
	})

	t.Run("resume a stopped run, stop it again", func(t *testing.T) {
		s := open(t, "edge-cache-r9")
		s.see(`STOPPED`)
		const run = "/clusterstagedupdateruns/edge-cache-r9"
		confirmByKey(s, "R")
		w.eventually(run, "state Run", func(o *object) bool { return o.Spec.State == "Run" })
		s.see(`outcome +applied`)
		s.keys("\x1b")
		s.gone(`outcome`)
		s.see(`RUNNING`)
		confirmByKey(s, "S")
		w.eventually(run, "state Stop", func(o *object) bool { return o.Spec.State == "Stop" })
		s.see(`STOPP(ED|ING)`)
		leave(t, s)
	})

	t.Run("start a run that is ready", func(t *testing.T) {
		s := open(t, "team-payments/fraud-score-r10")
		s.see(`READY`)
		confirmByKey(s, "R")
		w.eventually("/namespaces/team-payments/stagedupdateruns/fraud-score-r10", "state Run", func(o *object) bool { return o.Spec.State == "Run" })
		s.gone(`READY`)
		leave(t, s)
	})

	t.Run("cancelled and pasted dialogs write nothing", func(t *testing.T) {
		const run = "/clusterstagedupdateruns/cluster-dns-r4"
		var before, after object
		w.get(run, &before)
		s := open(t, "cluster-dns-r4")
		s.see(`READY`)
		s.keys("R")
		s.see(`(?i)cancel`)
		settled(s)
		s.keys("\r")
		s.gone(`(?i)\bcancel\b`)
		s.keys("R")
		s.see(`(?i)cancel`)
		settled(s)
		s.keys("\x1b[200~" + strings.Repeat("y\n", 100) + "\x1b[201~")
		s.keys("\x1b")
		s.gone(`(?i)\bcancel\b`)
		leave(t, s)
		w.get(run, &after)
		if after.Metadata.Generation != before.Metadata.Generation || after.Spec.State != before.Spec.State {
			t.Errorf("was %+v, is %+v", before, after)
		}
	})

	t.Run("read only", func(t *testing.T) {
		s := open(t, "--read-only", "cluster-dns-r4")
		s.see(`READY`)
		s.keys("R")
		s.see(`--read-only`)
		leave(t, s)
	})

	t.Run("without a terminal the same words are a table", func(t *testing.T) {
		out := printed(t, 0, d, "--stuck-after", "20s")
		for _, row := range tourRows {
			if row.lasts && !hasRow(out, row.word, row.run) {
				t.Errorf("no row %s %s in\n%s", row.word, row.run, out)
			}
		}
	})
	t.Run("one namespace", func(t *testing.T) {
		if out := printed(t, 0, d, "-n", "team-web", "--namespaced-only", "-o", "name"); !strings.Contains(out, "stagedupdaterun.placement.kubernetes-fleet.io/catalog-r7\n") ||
			strings.Contains(out, "team-payments/") || strings.Contains(out, "search-r12") {
			t.Errorf("got %s", out)
		}
		if out := printed(t, 0, d, "-n", "team-web", "-o", "name"); !strings.Contains(out, "search-r12\n") {
			t.Errorf("cluster runs do not stay: %s", out)
		}
	})
	t.Run("one run", func(t *testing.T) {
		if out := printed(t, 0, d, "--no-headers", "billing-r1"); strings.Count(out, "\n") != 1 || !hasRow(out, "INIT FAILED", "billing-r1") {
			t.Errorf("got %s", out)
		}
		printed(t, 6, d, "no-such-run")
		printed(t, 6, d, "team-web/search-r12")
	})
	t.Run("rights in one namespace only", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), "--kubeconfig", d.kubeconfig, "--context", "stagewatch-demo-tenant", "-o", "name")
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		if !strings.Contains(string(out), "team-payments/ledger-r55\n") || strings.Contains(string(out), "search-r12") {
			t.Errorf("got %s", out)
		}
		for _, note := range []string{"only namespace team-payments", "cluster-scoped runs are hidden"} {
			if !strings.Contains(errs.String(), "note: "+note) {
				t.Errorf("nothing says %q: %s", note, errs.String())
			}
		}
		s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", d.kubeconfig, "--context", "stagewatch-demo-tenant")
		s.see(`namespace team-payments`)
		s.see(`ledger-r55`)
		leave(t, s)
	})
	t.Run("the shell completes runs", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), stagewatch(t), "__completeNoDesc", "team-web/cat")
		cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig)
		if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), "team-web/catalog-r7\n") {
			t.Errorf("got %s, %v", out, err)
		}
	})
	t.Run("a stranger is refused", func(t *testing.T) {
		printed(t, 7, d, "--context", "stagewatch-demo-stranger")
	})
}

// tourRows are the states of the tour with a run that is in each of them. A row
// that lasts is there for as long as nobody touches it.
var tourRows = []struct {
	word, run string
	lasts     bool
}{
	{word: "APPROVAL", run: "payments-api-r18", lasts: true},
	{word: "APPROVAL", run: "ingress-gateway-r6"},
	{word: "WAITING", run: "cert-manager-r3", lasts: true},
	{word: "STUCK", run: "search-r12", lasts: true},
	{word: "PREEMPTED", run: "telemetry-agent-r9", lasts: true},
	{word: "INIT FAILED", run: "billing-r1", lasts: true},
	{word: "NOT ACCEPTED", run: "identity-r24"},
	{word: "STOPPED", run: "edge-cache-r9"},
	{word: "READY", run: "cluster-dns-r4", lasts: true},
	{word: "DONE", run: "metrics-gateway-r14", lasts: true},
	{word: "NO RUN", run: "reporting", lasts: true},
	{word: "RUNNING", run: "checkout-r"},
	{word: "APPROVAL", run: "team-web/catalog-r7"},
	{word: "STUCK", run: "team-search/suggest-r13", lasts: true},
	{word: "WAITING", run: "team-search/ranker-r2", lasts: true},
	{word: "STOPPED", run: "team-payments/ledger-r55", lasts: true},
	{word: "READY", run: "team-payments/fraud-score-r10"},
}

// hasRow reports whether some row of a list or table shows word and run.
func hasRow(screen, word, run string) bool {
	for line := range strings.Lines(screen) {
		if at := strings.Index(line, word); at >= 0 && strings.Contains(line[at:], run) {
			return true
		}
	}
	return false
}

// settled waits until a dialog has stopped being deaf: keys count only after
// 400 ms without any in which the program ran, which the dialog shows unless it has
// something more important to say.
func settled(s *session) {
	s.t.Helper()
	s.gone(`waiting for key release`)
	timer := time.NewTimer(600 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.exited:
		s.t.Fatalf("the program ended with %d", s.code)
	}
}

// confirmByName opens the dialog of an act that cannot be taken back and types
// the name that it asks for.
func confirmByName(s *session, key, name string) {
	s.t.Helper()
	s.keys(key)
	s.see(`\+ you may`)
	settled(s)
	s.keys(name)
	settled(s)
	s.keys("\r")
}

// confirmByKey opens the dialog of an act that can be taken back.
func confirmByKey(s *session, key string) {
	s.t.Helper()
	s.keys(key)
	s.see(`\+ you may`)
	settled(s)
	s.keys("y")
}

// leave closes what is open and quits; the terminal must be as it was.
func leave(t *testing.T, s *session) {
	t.Helper()
	s.keys("\x03\x03")
	code := s.ended(patience)
	if code != 0 && code != 130 {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", s.stderr.String())
	}
}

// podsNotRead matches the note of a list that reads no member.
var podsNotRead = regexp.MustCompile(`(?m)^note: \d+ runs? \([^)]*\) (was|were) read without pods on .* explain RUN reads them\n`)

// printed runs stagewatch without a terminal.
func printed(t *testing.T, code int, d *served, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), stagewatch(t), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%v: exit code %d, want %d; stderr %s", args, got, code, errs.String())
	}
	// A list reads no member; the note says for which runs that matters, where causes are shown.
	said := withoutProgress(errs.String())
	left := said
	if slices.ContainsFunc([]string{"wide", "json", "markdown"}, func(form string) bool { return slices.Contains(args, form) }) {
		left = podsNotRead.ReplaceAllString(left, "")
	}
	if code == 0 && left != "" {
		t.Errorf("%v: stderr %s", args, left)
	}
	if code != 0 && (strings.Count(said, "\n") != 2 || !strings.Contains(said, "\nhint: ")) {
		t.Errorf("%v: want one line and a hint, got %s", args, said)
	}
	return string(out)
}
