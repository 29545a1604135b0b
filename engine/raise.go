package engine

import "time"

// What a configuration holds back may be lifted for a while: at least
// RaiseLeast, at most RaiseMost, RaiseDefault when nothing is said. It drops by
// itself, since nobody remembers to.
const (
	RaiseLeast   = time.Minute
	RaiseMost    = 8 * time.Hour
	RaiseDefault = 15 * time.Minute
)

// Held is what keeps writes back at a hub, beside the guard.
type Held uint8

// What may keep writes back. What a flag says is never lifted.
const (
	HeldNot       Held = iota
	HeldReadOnly       // the configuration: nothing is written
	HeldProtected      // the configuration: every write asks for the context's name
	HeldForGood        // --read-only
)

// held tells what keeps writes back while nothing is lifted.
func (s *Settings) held() Held {
	switch {
	case s.ReadOnly.IsZero() && s.Protected:
		return HeldProtected
	case s.ReadOnly.IsZero():
		return HeldNot
	case s.Raisable:
		return HeldReadOnly
	}
	return HeldForGood
}

// Raised returns the settings while a restriction is lifted: a read-only
// context accepts writes and stays protected if it is; one that is only
// protected does not require its name.
func (s Settings) Raised() Settings {
	switch s.held() {
	case HeldReadOnly:
		s.ReadOnly, s.Raisable = Text{}, false
	case HeldProtected:
		s.Protected = false
	case HeldNot, HeldForGood:
	}
	return s
}

// Raise fills in what a Snapshot tells of what is held and lifted, and returns
// the settings that count at the time.
func (s *Snapshot) Raise(w *World) Settings {
	s.Held = w.Settings.held()
	if !s.At.Before(w.Raised) {
		return w.Settings
	}
	s.Raised = w.Raised
	return w.Settings.Raised()
}
