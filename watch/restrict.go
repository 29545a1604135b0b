package watch

import "github.com/stagewatch/stagewatch/engine"

// Restrict blocks writes as a changed configuration does, from now on: what was read-only or
// protected stays so until another session begins. It ends what was lifted for a while, and
// reports whether the session is as strict as the configuration, not stricter.
func (s *Session) Restrict(by engine.Settings) bool {
	s.restricting.Lock()
	defer s.restricting.Unlock()
	set := s.writes.Restriction()
	protect, block := by.Protected && !set.Protected, !by.ReadOnly.IsZero() && set.ReadOnly.IsZero()
	if protect || block {
		set.Protected = set.Protected || by.Protected
		if block {
			set.ReadOnly, set.Raisable = by.ReadOnly, by.Raisable
		}
		s.writes.Restrict(set)
		s.in.SetSettings(set)
	}
	flag := !set.ReadOnly.IsZero() && !set.Raisable // which is not of the configuration
	return set.Protected == by.Protected && (flag || set.ReadOnly.IsZero() == by.ReadOnly.IsZero())
}
