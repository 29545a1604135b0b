package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// Polls reports that lists keep a set current because its watches fail, and why: that is no
// failure of the connection, since the lists are answered. Without a reason it is watched again.
func (l *Link) Polls(s Source, why engine.Text) {
	l.mu.Lock()
	_, failed := l.failing[s]
	if !why.IsZero() {
		delete(l.failing, s)
	}
	f := l.sets[s]
	moved := f != nil && f.polled != why
	if moved {
		f.polled = why
	}
	l.mu.Unlock()
	if moved || failed && !why.IsZero() {
		l.changed()
	}
}

// polled says which watches fail, and why the first of them does, with the lock held; empty
// for none.
func (l *Link) polled() engine.Text {
	var out []*set
	all := true
	for _, f := range l.sets {
		if !f.polled.IsZero() {
			out = append(out, f)
		}
		all = all && (f.absent || !f.polled.IsZero())
	}
	if len(out) == 0 {
		return engine.Text{}
	}
	slices.SortFunc(out, byName)
	if all {
		return engine.Textf("all watches fail: %s", out[0].polled)
	}
	return engine.Textf("watches of %s fail: %s", names(out), out[0].polled)
}

// byName orders sets so that their order does not change with time.
func byName(a, b *set) int {
	return cmp.Or(cmp.Compare(a.name.String(), b.name.String()), strings.Compare(a.key.Namespace, b.key.Namespace), a.key.Placement.Compare(b.key.Placement))
}

// staleText says which sets are stale.
func staleText(late []*set) engine.Text {
	return engine.Textf("no confirmation of %s", names(late))
}

// names names two sets and counts the others.
func names(sets []*set) engine.Text {
	var out []engine.Text
	for _, f := range sets {
		if !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	if more := len(out) - 2; more > 0 {
		return engine.Textf("%s and %s", engine.Join(out[:2], ", "), engine.Count(more, "more kind"))
	}
	return engine.Join(out, ", ")
}

// silent lists the sets whose lists were not answered although the hub answered other
// requests meanwhile, in the order of their names, with the lock held.
func (l *Link) silent() []*set {
	var out []*set
	for s, f := range l.failing {
		if s == sourceProbe {
			return nil
		}
		if of := l.sets[s]; of != nil && f.Late && (l.others || l.heard.After(f.at.Add(-probeDeadline))) {
			out = append(out, of)
		}
	}
	slices.SortFunc(out, byName)
	return out
}
