package engine

import "time"

// LinkState is the freshness of what is shown.
type LinkState uint8

// The states of the link. Only LinkLive allows writes.
const (
	LinkLoading      LinkState = iota // first lists are still on their way
	LinkLive                          // streams stand and the hub answered lately
	LinkReconnecting                  // a stream or the probe failed; tried again and again
	LinkStale                         // streams look alive but nothing proved it lately
	LinkRefused                       // 401 or 403 on something we cannot do without
)

// StaleAfter is the age of the last proof of freshness from which data is stale (docs/promises.md#i1).
const StaleAfter = 10 * time.Second

// String returns the word for the header.
func (l LinkState) String() string {
	//exhaustive:enforce
	switch l {
	case LinkLoading:
		return "LOADING"
	case LinkLive:
		return "live"
	case LinkReconnecting:
		return "RECONNECTING"
	case LinkStale:
		return "STALE"
	case LinkRefused:
		return "NO ACCESS"
	}
	return "unknown"
}

// Link is the freshness of the data, with the error when it is not live.
type Link struct {
	State LinkState
	// Heard is the last moment, in hub time, at which all of the data was proven to be
	// current: that of the set whose last event, bookmark, list or check is the oldest.
	Heard time.Time
	// Reset is when the hub was found to have older data than before, since it was
	// restored or replaced; zero if that did not happen recently.
	Reset time.Time
	Since time.Time // when State began
	Err   Text      // the last error in one line; empty when live
	// Hint is what a person can do about Err, Rerun the same for a command that ends with it.
	Hint, Rerun Text
	Absent      bool       // Err came at once: nothing listens at the address, or it has no name
	LoginFailed bool       // 401, or the credential plugin failed
	Answers     bool       // Err names requests without an answer, while the hub answers others
	Errors      bool       // the hub answers with errors
	Loading     Text       // what has come of the lists that are on their way, the first or later ones
	Polled      Text       // which watches fail, and why, while lists keep their sets current
	Stale       []StaleSet // those that were not proven to be current recently
}

// StaleSet is a set of objects that may be old: those of a kind in a namespace or in
// all, or the bindings of a placement.
type StaleSet struct {
	Kind      Kind
	Namespace Raw
	Placement ID // by Key
}

// StaleFor reports whether a row depends on a set that may be old.
func (l *Link) StaleFor(v *RunView) bool {
	for i := range l.Stale {
		s := &l.Stale[i]
		switch {
		case !s.Placement.IsZero():
			if s.Placement == v.Placement.Key() {
				return true
			}
		case s.Kind == KindMemberCluster: // no state word depends on it
		case s.Kind.Namespaced() == v.ID.Kind().Namespaced() && (s.Namespace.Value() == "" || s.Namespace.Value() == v.ID.RawNamespace()):
			return true
		}
	}
	return false
}
