// Package triage diagnoses runs and clusters: cause, evidence, recovery and next
// steps. It contains the catalogue of causes (docs/causes.md) and the rules that
// select an entry, by fields first and by messages second. A message that matches
// no entry is shown in full with the cause unknown.
package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

//go:generate go test -run ^TestDocument$ . -update

// Catalogue is the engine's Triage. It has no state.
type Catalogue struct{}

// diagnosis starts a Diagnosis from an entry.
func (k *finder) diagnosis(e *entry) engine.Diagnosis {
	d := engine.Diagnosis{Cause: e.cause, Heal: e.recoveryText, CanHeal: e.recovery, Reads: e.reads}
	d.Steps, d.Leads = slices.Clone(e.steps), e.leadsOn()
	for _, show := range e.commands {
		if t := commandLines[show](k.kit); !t.IsZero() && !slices.Contains(d.Commands, t) {
			d.Commands = append(d.Commands, t)
		}
	}
	if e.check != 0 {
		p := checks[e.check](k.kit)
		if p.steps != nil {
			d.Steps = p.steps
		}
		if !p.recoveryText.IsZero() {
			d.Heal, d.CanHeal = p.recoveryText, p.recovery
		}
		if p.repaired {
			d.Leads = append([]engine.Lead{engine.LeadClone}, slices.DeleteFunc(d.Leads, func(l engine.Lead) bool { return l == engine.LeadClone })...)
		}
		d.Evidence = append(d.Evidence, p.evidence...)
	}
	return d
}

// finish fills what follows from the rest of a Diagnosis.
func finish(d *engine.Diagnosis, path []engine.Hop) {
	if len(d.Steps) > 0 {
		d.Next = d.Steps[0]
	}
	d.Path = path
	d.Where = where(path)
}
