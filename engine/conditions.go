package engine

import (
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Truth is what a condition says, as far as it can be believed.
type Truth uint8

// What a condition can say.
const (
	TruthAbsent  Truth = iota // no such condition
	TruthYes                  // status True
	TruthNo                   // status False
	TruthUnknown              // status Unknown, a status we do not know, or a contradiction
)

// String returns the status as the hub writes it.
func (t Truth) String() string {
	//exhaustive:enforce
	switch t {
	case TruthAbsent:
		return "absent"
	case TruthYes:
		return "True"
	case TruthNo:
		return "False"
	case TruthUnknown:
	}
	return "Unknown"
}

// Fact is one condition, read with distrust: the type is looked up among conditions that may be
// missing, doubled or contradictory. Reason and Message are raw.
type Fact struct {
	Truth      Truth
	Since      time.Time
	Reason     string
	Message    string
	Generation int64 // observedGeneration
}

// ReadCondition reads the condition of the given type. The list is a map by type on the hub, so a
// type that stands in it twice is damage: when the two disagree neither is believed, and the fact
// is unknown; it is about the older generation of the two.
func ReadCondition(conds []metav1.Condition, typ string) Fact {
	var f Fact
	for i := range conds {
		c := &conds[i]
		if c.Type != typ {
			continue
		}
		t := TruthUnknown
		switch c.Status {
		case metav1.ConditionTrue:
			t = TruthYes
		case metav1.ConditionFalse:
			t = TruthNo
		default: // Unknown, or a status of the future
		}
		if f.Truth == TruthAbsent {
			f = Fact{Truth: t, Since: c.LastTransitionTime.Time, Reason: c.Reason, Message: c.Message, Generation: c.ObservedGeneration}
			continue
		}
		if f.Truth != t {
			f.Truth = TruthUnknown
		}
		f.Generation = min(f.Generation, c.ObservedGeneration)
	}
	return f
}

// At reports whether the fact is about the given generation: "ok@gen" of the
// facts is TruthYes and At(gen).
func (f Fact) At(gen int64) bool { return f.Truth != TruthAbsent && f.Generation == gen }

// NewestObserved returns the newest observedGeneration of the conditions; 0 when there are none.
func NewestObserved(conds []metav1.Condition) int64 {
	var n int64
	for i := range conds {
		n = max(n, conds[i].ObservedGeneration)
	}
	return n
}

// Later returns the later of two times; zero counts as unknown.
func Later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// Earlier returns the earlier of two times; zero counts as never.
func Earlier(a, b time.Time) time.Time {
	switch {
	case a.IsZero():
		return b
	case b.IsZero(), a.Before(b):
		return a
	}
	return b
}

// ReportsDiff reports whether the apply strategy only compares and applies nothing.
func ReportsDiff(s *placement.ApplyStrategy) bool { return s != nil && string(s.Type) == "ReportDiff" }
