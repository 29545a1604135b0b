//go:build linux || darwin

package cli_test

import (
	"testing"
)

// TestFixAndRetryWithKeys does the way of the guides with keys: a run that
// never began is cloned with what it lacked, and the old one is deleted.
func TestFixAndRetryWithKeys(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	const runs = "/namespaces/team-payments/stagedupdateruns/"
	w.within(3*patience, runs+"strategy-missing-r2", "a run that failed", func(o *object) bool { return o.condition("Initialized") != nil })
	// Tall enough for every check: a small screen folds those that passed.
	s := start(t, 120, 50, nil, stagewatch(t), "--kubeconfig", d.kubeconfig, "--stuck-after", "20s", "team-payments/strategy-missing-r2")
	s.see(`live +\d+s +\d+ runs`)
	s.see(`INIT FAILED`)
	s.keys("C")
	s.see(`Clone team-payments/strategy-missing-r2 into strategy-missing-r3`)
	s.see(`the run fails initialization`)
	settled(s)
	// The strategy, from the list.
	s.keys("\t\t\t")
	s.keys("\r")
	s.see(`rings +canary and prod`)
	s.see(`nowhere +not on this hub`)
	s.keys("k")
	s.keys("k")
	s.keys("k")
	s.keys("\r")
	s.see(`strategy +rings`)
	s.see(`in 2 stages; snapshot 2`)
	// An older snapshot, with what it would change.
	s.keys("\t")
	s.keys("\r")
	s.see(`snapshots of strategy-missing`)
	s.keys("G")
	s.see(`1\.0\.0`)
	s.keys("\r")
	s.see(`snapshot +1`)
	s.see(`in 2 stages; snapshot 1`)
	s.keys("\t\t\t")
	s.keys("strategy-missing-r3\r")
	s.see(`outcome +applied`)
	o := w.eventually(runs+"strategy-missing-r3", "the clone", func(o *object) bool { return o.condition("Initialized") != nil })
	if o.Spec.State != "Initialize" || o.Spec.Strategy != "rings" || o.Spec.Index != "1" || o.condition("Initialized").Status != "True" {
		t.Errorf("the clone is %+v", o)
	}
	s.see(`READY`)
	s.keys("X")
	s.see(`Delete team-payments/strategy-missing-r2`)
	s.see(`Runs › .*team-payments/strategy-missing-r3`)
	s.see(`server dry run`)
	settled(s)
	s.keys("strategy-missing-r2\r")
	s.see(`then +it is deleted`)
	w.gone(runs + "strategy-missing-r2")
	s.keys("\x1b")
	s.gone(`outcome`)
	s.see(`READY`)
	leave(t, s)
}
