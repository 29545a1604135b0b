package trouble

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Finder finds what is wrong with the clusters of a case.
type Finder struct {
	*subject.Subject
	Reads *subject.Reads // shared by all clusters
}

// NewFinder returns the finder of a case.
func NewFinder(c *world.Case) *Finder { return &Finder{subject.NewSubject(c), &subject.Reads{}} }

// About returns a finder for a cluster of the case.
func (k *Finder) About(cl *world.CaseCluster) *Finder {
	return &Finder{k.Subject.About(cl), k.Reads}
}

// Diagnosis starts a Diagnosis from an entry.
func (k *Finder) Diagnosis(e *catalogue.Entry) engine.Diagnosis {
	d := engine.Diagnosis{Cause: e.Cause, RecoveryText: e.RecoveryText.Text(), Recovery: e.Recovery, NextActions: e.Actions(), Reads: e.Reads}
	if k.Cluster != nil {
		d.Steps = e.StepsFor(k.Cluster.Name)
	} else {
		d.Steps = e.Steps.Texts()
	}
	d.Commands = k.CommandLines(e.Commands)
	if e.Check != 0 {
		p := repair.Checks[e.Check](k.Subject)
		if p.Steps != nil {
			d.Steps = p.Steps
		}
		if !p.RecoveryText.IsZero() {
			d.RecoveryText, d.Recovery = p.RecoveryText, p.Recovery
		}
		if p.Repaired {
			subject.Prefer(&d, engine.NextClone)
		}
		d.Evidence = append(d.Evidence, p.Evidence...)
		d.Commands = append(p.Commands, slices.DeleteFunc(d.Commands, func(c engine.Text) bool { return slices.Contains(p.Commands, c) })...)
	}
	return d
}

// CommandLines makes the lines of commands, without those that mean nothing for the case.
func (k *Finder) CommandLines(all []catalogue.Command) (out []engine.Text) {
	for _, show := range all {
		if t := subject.CommandLines[show](k.Subject); !t.IsZero() && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
