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

// entry is one cause of the catalogue. Entries are never changed.
type entry struct {
	cause engine.Cause
	title string // what it is, in a few words, for the documents
	seen  string // what it is recognised by, for the documents
	heals engine.Healing
	heal  engine.Text // zero: whoever uses the entry words it
	steps []engine.Text
	shows []command
	leads []engine.Lead        // what serves the steps; without any, heals tells
	reads engine.HubRead       // what a page reads from the hub for it
	now   func(k *kit) present // what holds now of a cause that was recorded earlier

	// hard causes do not go away by waiting: they are told before the half of
	// the stuck time has passed.
	hard bool
	// waits marks what looks the same when the member is cut off: then the
	// member's trouble is the cause.
	waits bool
	// note marks what is odd and no trouble.
	note bool
}

// entries lists the whole catalogue in the order of the documents.
func entries() []*entry {
	var out []*entry
	for i := range failures {
		out = append(out, &failures[i].entry)
	}
	return slices.Concat(out, idle(), onBindings(), onManifests(), onPods(), onMembers)
}

// diagnosis starts a Diagnosis from an entry.
func (e *entry) diagnosis(k *kit) engine.Diagnosis {
	d := engine.Diagnosis{Cause: e.cause, Heal: e.heal, CanHeal: e.heals, Reads: e.reads}
	d.Steps, d.Leads = slices.Clone(e.steps), e.leadsOn()
	for _, show := range e.shows {
		if t := show(k); !t.IsZero() && !slices.Contains(d.Commands, t) {
			d.Commands = append(d.Commands, t)
		}
	}
	if e.now != nil {
		p := e.now(k)
		if p.steps != nil {
			d.Steps = p.steps
		}
		if !p.heal.IsZero() {
			d.Heal, d.CanHeal = p.heal, p.heals
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

// lits makes steps of constants.
func lits(steps ...engine.Text) []engine.Text { return steps }
