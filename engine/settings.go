package engine

import "time"

// What a configuration holds back may be lifted for a while: at least RaiseLeast, at most
// RaiseMost, RaiseDefault when nothing is said. It drops by itself, since nobody remembers to.
const (
	RaiseLeast   = time.Minute
	RaiseMost    = 8 * time.Hour
	RaiseDefault = 15 * time.Minute
)

// Settings are what a person chose; constant for a session.
type Settings struct {
	// StuckAfter is the hub's stuck threshold (docs/kubefleet.md#constants); 5 min when zero.
	StuckAfter time.Duration
	// ReadOnly, when not empty, is why nothing may be written.
	ReadOnly Text
	// Raisable is set when ReadOnly is the configuration's word for the context,
	// which may be lifted for a while, and not that of a flag, which may not.
	Raisable bool
	// Protected contexts require their name to be typed before every write.
	Protected bool
	// Alias is what people call the hub; empty for the name of its context.
	Alias string
	// Fields are the names of the columns that show a value of the run (engine/field).
	Fields []string
	// ClusterRuns and NamespacedRuns say which scopes are asked for.
	ClusterRuns, NamespacedRuns bool
}

// Held is what keeps writes back at a hub, beside the guard.
type Held uint8

// What may keep writes back. What a flag says is never lifted.
const (
	HeldNot            Held = iota
	HeldReadOnly            // the configuration: nothing is written
	HeldProtected           // the configuration: every write asks for the context's name
	BlockedPermanently      // --read-only
)

// held says what keeps writes back while nothing is lifted.
func (s *Settings) held() Held {
	switch {
	case s.ReadOnly.IsZero() && s.Protected:
		return HeldProtected
	case s.ReadOnly.IsZero():
		return HeldNot
	case s.Raisable:
		return HeldReadOnly
	}
	return BlockedPermanently
}

// Raised returns the settings while a restriction is lifted: a read-only context accepts writes and
// stays protected if it is; one that is only protected does not require its name.
func (s Settings) Raised() Settings {
	switch s.held() {
	case HeldReadOnly:
		s.ReadOnly, s.Raisable = Text{}, false
	case HeldProtected:
		s.Protected = false
	case HeldNot, BlockedPermanently:
	}
	return s
}

// Raise fills in what blocks writes, and until when it is lifted (zero: it is
// not), and returns the settings that apply at the time of the Snapshot.
func (s *Snapshot) Raise(set Settings, until time.Time) Settings {
	s.Held = set.held()
	if !s.At.Before(until) {
		return set
	}
	s.Raised = until
	return set.Raised()
}
