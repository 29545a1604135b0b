package history

import (
	"fmt"
	"strconv"
	"time"
)

const (
	// mostAge is how old what a live screen shows may be (docs/promises.md#i1).
	mostAge = 10 * time.Second
	// recovery is how long after the last fault the screen must equal the hub
	// (docs/promises.md#i2).
	recovery = 5 * time.Second
	// blink is how long the screen may say that it reconnects without a new fault: a fault
	// can leave a watch behind that brings nothing, which is noticed at the next change.
	blink = 2 * time.Second
)

// Frame is what the screen showed from a moment until the next frame.
type Frame struct {
	At time.Time
	// Live says that the screen claims to be current, Complete that it has every run.
	Live, Complete bool
	// Reset is when the hub was reset, as the screen says it; zero if it does not.
	Reset time.Time
	// Runs are the resourceVersions of the rows by name.
	Runs map[string]string
	// Stale are the rows that are shown as old.
	Stale map[string]bool
}

// State is what the hub had from a moment until the next state: resourceVersions by name.
type State struct {
	At   time.Time
	Runs map[string]string
}

// Record is what a script led to.
type Record struct {
	Frames []Frame
	States []State
	// Healthy are the times from which no fault and no restart disturbs the session, each
	// until the time beside it.
	Healthy [][2]time.Time
	End     time.Time
	// Reset is when the hub went back to an older state first; zero if it never did.
	Reset time.Time
	// MostLists is how many lists of one set were under way at the same time.
	MostLists int
	// Requests is how many requests there were.
	Requests int
	// Lag is the longest that an API server lagged behind its store: no client can tell.
	Lag time.Duration
}

// Check returns what of a record breaks a promise.
func Check(r *Record) []error {
	var bad []error
	say := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	began := r.Frames[0].At
	// shown is a version that a row had, and the reset that the screen named when it came.
	type shown struct {
		version string
		reset   time.Time
	}
	last := map[string]shown{}
	for i := range r.Frames {
		f := &r.Frames[i]
		until := r.End
		if i+1 < len(r.Frames) {
			until = r.Frames[i+1].At
		}
		// The frame stays until just before the next one: it is oldest then.
		if f.Live && f.Complete {
			for _, name := range unknown(r, f, until.Add(-mostAge-r.Lag), until) {
				say("I1: at %v the screen is live with %s@%s, which the hub has not had for %v", until.Sub(began), name, f.Runs[name], mostAge)
			}
		}
		if !f.Live {
			for _, name := range unknown(r, f, until.Add(-mostAge-r.Lag-time.Second), until) {
				if f.Runs[name] != "" && !f.Stale[name] {
					say("I1: at %v the row %s@%s is older than %v and does not look so", until.Sub(began), name, f.Runs[name], mostAge)
				}
			}
		}
		if !f.Reset.IsZero() && (r.Reset.IsZero() || f.At.Before(r.Reset)) {
			say("I3: at %v the screen says that the hub was reset, which it was not", f.At.Sub(began))
		}
		now := map[string]shown{}
		for name, version := range f.Runs {
			was := last[name]
			if older(version, was.version) && !f.Reset.After(was.reset) {
				say("I3: at %v %s goes back from %s to %s without a reset", f.At.Sub(began), name, was.version, version)
			}
			if now[name] = was; version != was.version {
				now[name] = shown{version, f.Reset}
			}
		}
		last = now
	}
	for _, h := range r.Healthy {
		at, until := h[0].Add(recovery), h[1]
		var lost time.Time // since when the screen is not live
		for i := range r.Frames {
			f := &r.Frames[i]
			next := r.End
			if i+1 < len(r.Frames) {
				next = r.Frames[i+1].At
			}
			from, to := later(f.At, at), earlier(next, until)
			if !from.Before(to) {
				continue
			}
			for _, name := range unknown(r, f, to.Add(-recovery), to) {
				say("I2: at %v, %v after the last fault, the screen has %s@%s, which the hub has not", to.Sub(began), to.Sub(h[0]), name, f.Runs[name])
			}
			switch {
			case f.Live && f.Complete:
				lost = time.Time{}
			case lost.IsZero():
				lost = from
				fallthrough
			default:
				if span := to.Sub(lost); span > blink {
					say("I2: at %v, %v after the last fault, the screen is not live for %v", from.Sub(began), from.Sub(h[0]), span)
				}
			}
		}
	}
	if r.MostLists > 1 {
		say("I17: %d lists of one set at the same time", r.MostLists)
	}
	if most := int(r.End.Sub(began)/time.Second)*60 + 200; r.Requests > most {
		say("I17: %d requests in %v, at most %d are allowed", r.Requests, r.End.Sub(began), most)
	}
	return bad
}

// unknown returns the runs that a frame shows, or does not show, in a state that the hub
// had at no time between two moments.
func unknown(r *Record, f *Frame, from, to time.Time) []string {
	names := map[string]bool{}
	for name := range f.Runs {
		names[name] = true
	}
	had := map[string]map[string]bool{}
	for i := range r.States {
		s := &r.States[i]
		ended := i+1 < len(r.States) && !r.States[i+1].At.After(from)
		if ended || s.At.After(to) {
			continue
		}
		for name := range s.Runs {
			names[name] = true
		}
	}
	for i := range r.States {
		s := &r.States[i]
		ended := i+1 < len(r.States) && !r.States[i+1].At.After(from)
		if ended || s.At.After(to) {
			continue
		}
		for name := range names {
			if had[name] == nil {
				had[name] = map[string]bool{}
			}
			had[name][s.Runs[name]] = true
		}
	}
	var bad []string
	for name := range names {
		if !had[name][f.Runs[name]] {
			bad = append(bad, name)
		}
	}
	return bad
}

func older(a, b string) bool {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return errX == nil && errY == nil && x < y
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
