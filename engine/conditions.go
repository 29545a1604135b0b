package engine

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// truth is what a condition says, as far as it can be believed.
type truth uint8

const (
	absent  truth = iota // no such condition
	yes                  // status True
	no                   // status False
	unknown              // status Unknown, a status we do not know, or a contradiction
)

// fact is one condition, read with distrust: the type is looked up among
// conditions that may be missing, doubled or contradictory.
type fact struct {
	truth   truth
	since   time.Time
	reason  string
	message string
	gen     int64 // observedGeneration
}

// find reads the condition of the given type. The list is a map by type on the
// hub, so a type that stands in it twice is damage: when the two disagree
// neither is believed, and the fact is unknown.
func find(conds []metav1.Condition, typ string) fact {
	var f fact
	for i := range conds {
		c := &conds[i]
		if c.Type != typ {
			continue
		}
		t := unknown
		switch c.Status {
		case metav1.ConditionTrue:
			t = yes
		case metav1.ConditionFalse:
			t = no
		default: // Unknown, or a status of the future
		}
		if f.truth == absent {
			f = fact{truth: t, since: c.LastTransitionTime.Time, reason: c.Reason, message: c.Message, gen: c.ObservedGeneration}
			continue
		}
		if f.truth != t {
			f.truth = unknown
		}
	}
	return f
}

// at reports whether the fact is about the given generation: "ok@gen" of the
// facts is yes and at(gen).
func (f fact) at(gen int64) bool { return f.truth != absent && f.gen == gen }

// newestObserved returns the newest observedGeneration of the conditions; 0
// when there are none.
func newestObserved(conds []metav1.Condition) int64 {
	var n int64
	for i := range conds {
		n = max(n, conds[i].ObservedGeneration)
	}
	return n
}

// latest returns the later of two times; zero counts as unknown.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// sooner returns the earlier of two times; zero counts as never.
func sooner(a, b time.Time) time.Time {
	switch {
	case a.IsZero():
		return b
	case b.IsZero(), a.Before(b):
		return a
	}
	return b
}
