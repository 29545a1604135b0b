// Package scene is what the components of the screen share: the latest snapshot, the
// time, the theme and the note above the keys. The root model updates it between
// frames; components read it and answer keys with it.
package scene

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/note"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Scene is shared by pointer. Theme is never nil.
type Scene struct {
	Theme *theme.Theme
	Snap  *engine.Snapshot // nil before the first one
	Now   time.Time        // local, from ticks
	// Colour returns the colour of a context; nil or an empty one is none.
	Colour func(context string) string
	// Note answers the last key.
	Note note.Note
	// Spinner turns while something loads for longer than a moment, else it is empty.
	Spinner string
}

// OfHub is the style of the name of a hub.
func (s *Scene) OfHub(h engine.HubName) theme.Style {
	if s.Colour == nil {
		return theme.Name
	}
	return theme.OfContext(s.Colour(h.Raw()))
}

// HubNow is the present by the clock of the hub that is looked at. It never lies before
// the data it is compared with.
func (s *Scene) HubNow() time.Time { return s.NowOf(engine.ID{}) }

// NowOf is the present by the clock of the hub that an object is on.
func (s *Scene) NowOf(id engine.ID) time.Time {
	h := s.Of(id)
	if h == nil {
		return s.Now
	}
	t := s.Now.Add(h.Skew)
	if t.Before(h.At) {
		return h.At
	}
	return t
}

// Of is the Snapshot of the hub that an object is on; nil before the first one.
func (s *Scene) Of(id engine.ID) *engine.Snapshot {
	if s.Snap == nil {
		return nil
	}
	return s.Snap.Of(id)
}

// Since is the time from t to now; zero when t is unknown.
func (s *Scene) Since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(0, s.HubNow().Sub(t))
}

// Left is the time until t; zero when it is unknown or over.
func (s *Scene) Left(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return max(0, t.Sub(s.HubNow()))
}

// Say answers a key in the line above the key bar.
func (s *Scene) Say(k theme.Style, x engine.Text) { s.Note.Say(k, x, s.Now) }

// SayWhile is Say for a note that is removed as soon as it is no longer true.
func (s *Scene) SayWhile(k theme.Style, x engine.Text, holds func() bool) {
	s.Note.SayWhile(k, x, s.Now, holds)
}

// Unbound answers a key that does nothing.
func (s *Scene) Unbound(key string) tea.Cmd { return s.useless(key, "not bound here") }

// Idle answers a key that does nothing at the moment.
func (s *Scene) Idle(key string) tea.Cmd { return s.useless(key, "not available now") }

func (s *Scene) useless(key, why string) tea.Cmd {
	for _, held := range []string{"ctrl", "alt", "shift"} {
		key = strings.Replace(key, held+"+", held+"-", 1)
	}
	s.Say(theme.Sub, engine.Textf("%s: %s · {help} keys", engine.Clean(key), engine.Clean(why)))
	return nil
}

// Quiet removes the note.
func (s *Scene) Quiet() { s.Note.Clear() }

// Busy is a text that says that something loads.
func (s *Scene) Busy(what string) string {
	what += s.Theme.Glyph.Ellipsis
	if s.Spinner != "" {
		what += " " + s.Spinner
	}
	return what
}

// Find returns a run, or a placement without one; nil when it is not listed.
func (s *Scene) Find(id engine.ID) *engine.RunView {
	if s.Snap == nil || id.IsZero() {
		return nil
	}
	return s.Snap.Find(id)
}

// Named is Find for a run whose UID may be unknown.
func (s *Scene) Named(id engine.ID) *engine.RunView {
	if v := s.Find(id); v != nil || s.Snap == nil || id.IsZero() {
		return v
	}
	for _, v := range s.Snap.Runs {
		if v.ID.SameName(id) {
			return v
		}
	}
	return nil
}

// Copy hands text to the terminal's clipboard, through SSH too where the terminal
// allows it (OSC 52). Whether it did cannot be known.
func (s *Scene) Copy(what engine.Text, text string) tea.Cmd {
	s.Say(theme.Sub, engine.Textf("Sent to the clipboard: %s", what))
	return tea.Raw(ansi.SetSystemClipboard(text))
}
