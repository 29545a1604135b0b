package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/note"
	"github.com/stagewatch/stagewatch/ui/theme"
)

const (
	// newsApart is how long the same news of a run is not told again: one that
	// heals and falls back every few seconds must not ring as often.
	newsApart = time.Minute
	// newsNamed is how many runs one line of news names.
	newsNamed = 3
)

// awaits is what a person wants to be told of while looking elsewhere.
type awaits struct {
	// runs are those that w was pressed on.
	runs map[engine.ID]bool
	// seen is where the runs stood when last looked at.
	seen map[engine.ID]standing
	// whole is set once all runs were seen.
	whole bool
	told  map[engine.ID]telling
}

// standing is that of a run of which a change is news: its word, and the place
// where it waits.
type standing struct {
	word engine.Word
	late bool
	at   int
}

// telling is the last news of a run.
type telling struct {
	of standing
	at time.Time // hub time
}

// standingOf leaves out the stage where it moves on by itself.
func standingOf(v *engine.RunView) standing {
	s := standing{word: v.Word, late: v.Late, at: -1}
	if v.Word == engine.WordApproval || v.Word == engine.WordNotAccepted || v.Word == engine.WordStuck {
		s.at = v.At
	}
	return s
}

// text is the state as the list shows it.
func (s standing) text() engine.Text {
	if s.late {
		return engine.Textf("%s LATE", engine.Clean(s.word.String()))
	}
	return engine.Clean(s.word.String())
}

// await has the terminal ring when the run that the keys are about changes its
// state, or no longer.
func (m *Model) await() {
	id := m.subject().Run
	v := m.scene.Snap.Find(id)
	switch a := &m.awaits; {
	case v == nil:
		m.scene.Say(theme.Sub, engine.Lit("No run is selected."))
	case a.runs[id]:
		delete(a.runs, id)
		m.scene.Say(theme.Sub, engine.Textf("Notifications for %s are off.", v.ID.Title()))
	case v.Terminal:
		m.scene.Say(theme.Sub, engine.Textf("%s is %s, which is final.", v.ID.Title(), engine.Clean(v.Word.String())))
	default:
		if a.runs == nil {
			a.runs = map[engine.ID]bool{}
		}
		if a.seen == nil {
			a.seen = map[engine.ID]standing{}
		}
		a.runs[id], a.seen[id] = true, standingOf(v)
		m.scene.Say(theme.Text, engine.Textf("Rings when %s leaves %s; w again turns it off.", v.ID.Title(), engine.Clean(v.Word.String())))
	}
}

// news compares a snapshot with the one before and rings for what a person
// wants to be told of. What was not read yet, or came from a hub that is not
// reached, is no news.
func (m *Model) news() tea.Cmd {
	a, s := &m.awaits, m.scene.Snap
	if !s.Complete || s.Link.State != engine.LinkLive || len(a.runs) == 0 && !m.opt.Notify {
		return nil
	}
	seen := make(map[engine.ID]standing, len(s.Runs))
	var news []engine.Text
	for _, v := range s.Runs {
		now := standingOf(v)
		was, known := a.seen[v.ID]
		if v.Partial || v.Word == engine.WordUnknown {
			if known {
				seen[v.ID] = was
			}
			continue
		}
		seen[v.ID] = now
		asked := a.runs[v.ID] && known
		// What was not there at all is news once the list has been whole.
		asked = asked || m.opt.Notify && a.whole && v.NeedsAttention() && v.Ails()
		if !asked || now == was || m.toldLately(v.ID, now) {
			continue
		}
		if known && (was.word != now.word || was.late != now.late) {
			news = append(news, engine.Textf("%s is %s, was %s", v.ID.Title(), now.text(), was.text()))
		} else {
			news = append(news, engine.Textf("%s is %s", v.ID.Title(), now.text()))
		}
		if v.Terminal {
			delete(a.runs, v.ID)
		}
	}
	for id := range a.runs {
		if _, there := seen[id]; !there && s.Find(id) == nil {
			delete(a.runs, id)
			news = append(news, engine.Textf("%s was deleted", id.Title()))
		}
	}
	for id := range a.told {
		if _, there := seen[id]; !there {
			delete(a.told, id)
		}
	}
	a.seen, a.whole = seen, true
	return m.ring(news)
}

// toldLately reports whether the same was told a moment ago, and notes that it
// is told now where it was not.
func (m *Model) toldLately(id engine.ID, now standing) bool {
	a, at := &m.awaits, m.scene.HubNow()
	if last, ok := a.told[id]; ok && last.of == now && at.Sub(last.at) < newsApart {
		return true
	}
	if a.told == nil {
		a.told = map[engine.ID]telling{}
	}
	a.told[id] = telling{of: now, at: at}
	return false
}

// ring tells news on the line above the keys, with the bell and, where the
// terminal can, as a notification of the desktop (OSC 9).
func (m *Model) ring(news []engine.Text) tea.Cmd {
	if len(news) == 0 {
		return nil
	}
	n := len(news) - newsNamed
	if n > 0 {
		news = append(news[:newsNamed:newsNamed], engine.Textf("%d more", n))
	}
	x := engine.Textf("%s.", engine.Join(news, "; "))
	m.scene.Note.SayFor(theme.Wait, x, m.scene.Now, note.News)
	out := string(rune(ansi.BEL))
	if !m.opt.BellOnly {
		out += ansi.Notify("stagewatch " + cell.Text(m.scene.Theme, m.scene.Snap.Hub.Context) + ": " + cell.Text(m.scene.Theme, x))
	}
	return tea.Raw(out)
}
