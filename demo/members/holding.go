package members

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// held is an object of a placement as a member has it.
type held struct {
	content placement.ResourceContent
	// before is what it was until changed; its Raw is nil for a new object.
	before placement.ResourceContent
	// made is when the member got the object, changed when its content last
	// changed there.
	made, changed time.Time
}

// holding is the object that a member has of a manifest; nil when it has none.
func (a *Agents) holding(w *placement.Work, m works.Manifest) *held {
	for _, h := range a.holdings(w) {
		if have, err := works.ParseManifest(h.content); err == nil && have.Kind == m.Kind && have.Metadata == m.Metadata {
			return &h
		}
	}
	return nil
}

// has reports whether a member has all objects of a Work, as they are in it.
func (a *Agents) has(w *placement.Work) bool {
	return !slices.ContainsFunc(w.Spec.Workload.Manifests, func(content placement.ResourceContent) bool {
		m, err := works.ParseManifest(content)
		if err != nil {
			return true
		}
		have := a.holding(w, m)
		return have == nil || !works.SameContent(have.content, content)
	})
}

// holdings are the objects that a member has of a Work: what its agent applied
// last, or what an earlier run left.
func (a *Agents) holdings(w *placement.Work) []held {
	k := store.Key{Namespace: w.Namespace, Name: w.Name}
	a.mu.Lock()
	have, known := a.held[k]
	a.mu.Unlock()
	if known {
		return have
	}
	for _, c := range a.Initial(placementOf(w), clusterOf(w)) {
		have = append(have, held{content: c, made: a.started, changed: a.started})
	}
	return have
}

// hold records what an agent has applied: everything but what was refused, of
// which the member keeps what it had.
func (a *Agents) hold(w *placement.Work, refused map[int]Refusal, now time.Time) {
	var next []held
	for i, content := range w.Spec.Workload.Manifests {
		m, err := works.ParseManifest(content)
		if err != nil {
			continue // the hub stores no manifest that is not an object
		}
		no, is := refused[i]
		before := a.holding(w, m)
		switch {
		case is && (before == nil || no.Gone):
		case is || before != nil && works.SameContent(before.content, content):
			next = append(next, *before)
		case before != nil:
			next = append(next, held{content: content, before: before.content, made: before.made, changed: now})
		default:
			next = append(next, held{content: content, made: now, changed: now})
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held[store.Key{Namespace: w.Namespace, Name: w.Name}] = next
}
