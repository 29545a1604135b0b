package notify

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/note"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The notifications of a desktop that terminals know.
const (
	DesktopOSC9   = "osc9"
	DesktopOSC777 = "osc777"
	DesktopOff    = "off"
)

// Desktops are the values of Means.Desktop.
func Desktops() []string { return []string{DesktopOSC9, DesktopOSC777, DesktopOff} }

// Means are how a notification reaches a person, beside the line on the screen.
type Means struct {
	// All includes every run that begins to need attention, not only those that w was
	// pressed on.
	All bool
	// Silent leaves out the bell of the terminal.
	Silent bool
	// Desktop is one of Desktops; empty is DesktopOSC9.
	Desktop string
	// Progress shows how far a run is in the task bar or the tab (OSC 9;4).
	Progress bool
	// Exec is the program of the hook with its arguments; nil for none.
	Exec []string
	// Quiet are the hours in which only the line on the screen is shown.
	Quiet Hours
}

// Hours are a part of each day, in minutes after midnight; they may include midnight. The
// zero Hours are no part.
type Hours struct{ From, To int }

// Include reports whether a local time is in the hours.
func (h Hours) Include(t time.Time) bool {
	m := t.Hour()*60 + t.Minute()
	if h.From <= h.To {
		return h.From <= m && m < h.To
	}
	return h.From <= m || m < h.To
}

// ParseHours reads hours such as 22:00-07:00; of the empty string they are the zero Hours.
func ParseHours(s string) (Hours, bool) {
	if s == "" {
		return Hours{}, true
	}
	from, to, ok := strings.Cut(s, "-")
	begin, err := time.Parse("15:04", from)
	end, other := time.Parse("15:04", to)
	h := Hours{begin.Hour()*60 + begin.Minute(), end.Hour()*60 + end.Minute()}
	return h, ok && err == nil && other == nil && h.From != h.To
}

// Event is what a notification reports of one run.
type Event struct {
	At time.Time
	ID engine.ID
	// Run is nil for a run that was deleted.
	Run *engine.RunView
	// Was is the state before; empty where only the stage is another, or the run is new.
	Was engine.Text
	// Text is the event in one sentence without the period.
	Text engine.Text
}

// named is how many runs one notification names.
const named = 3

// ring shows the changes in the line above the keys and, outside quiet hours, sends them by
// the other means.
func (n *Notifier) ring(news []Event) tea.Cmd {
	if len(news) == 0 {
		return nil
	}
	var texts []engine.Text
	for i := range news[:min(len(news), named)] {
		texts = append(texts, news[i].Text)
	}
	if more := len(news) - named; more > 0 {
		texts = append(texts, engine.Textf("%d more", more))
	}
	x := engine.Textf("%s.", engine.Join(texts, "; "))
	quiet := n.means.Quiet.Include(n.scene.Now)
	var cmds []tea.Cmd
	if !quiet {
		cmds = n.queue(news)
	}
	if n.dropped > 0 {
		x = engine.Textf("%s. %s", dropped(n.dropped), x)
	}
	n.scene.Note.SayFor(theme.Wait, x, n.scene.Now, note.News)
	if quiet {
		return nil
	}
	if out := n.sequence(x); out != "" {
		cmds = append(cmds, tea.Raw(out))
	}
	if len(cmds) == 1 {
		return cmds[0]
	}
	return tea.Batch(cmds...)
}

// sequence is what the terminal gets: the bell and the notification of the desktop.
func (n *Notifier) sequence(x engine.Text) string {
	out := ""
	if !n.means.Silent {
		out = string(rune(ansi.BEL))
	}
	if n.plain {
		return out
	}
	title, body := "stagewatch "+cell.Text(n.scene.Theme, n.scene.Snap.Hub.Context), cell.Text(n.scene.Theme, x)
	switch n.means.Desktop {
	case DesktopOSC9, "":
		out += ansi.Notify(title + ": " + body)
	case DesktopOSC777:
		// A semicolon begins the next parameter.
		parameter := strings.NewReplacer(";", ",").Replace
		out += ansi.URxvtExt("notify", parameter(title), parameter(body))
	}
	return out
}

// Progress is how far a run is, for the task bar or the tab of the terminal: of the opened
// run, or of the only one that w was pressed on; nil for none.
func (n *Notifier) Progress(opened *engine.RunView) *tea.ProgressBar {
	v := opened
	if v == nil && len(n.chosen) == 1 {
		for id := range n.chosen {
			v = n.scene.Find(id)
		}
	}
	if !n.means.Progress || n.plain || v == nil || v.Total == 0 || v.Word == engine.WordDone {
		return nil
	}
	state := tea.ProgressBarDefault
	switch {
	case v.InTrouble():
		state = tea.ProgressBarError
	case v.Word == engine.WordWaiting || v.NeedsAttention():
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, v.Percent())
}
