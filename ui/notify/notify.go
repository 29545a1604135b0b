// Package notify rings when a run that a person looks away from changes its state: those
// that w was pressed on and, where that is configured, every run that begins to need
// attention.
package notify

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// interval is the shortest time between two notifications of the same state of a
// run: one that recovers and fails every few seconds must not ring as often.
const interval = time.Minute

// Notifier compares each snapshot with the one before.
type Notifier struct {
	ctx   context.Context
	scene *scene.Scene
	means Means
	hook  Hook
	// plain leaves out the notification of the desktop, for terminals that would print it.
	plain bool
	log   func(engine.Text)
	// failed is set while the hook fails: its error was shown.
	failed bool
	// waiting are notifications whose program does not run yet, the oldest first; running is
	// how many run, dropped how many were dropped since none waited.
	waiting          []Execution
	running, dropped int

	// chosen are the runs that w was pressed on.
	chosen map[engine.ID]bool
	seen   map[engine.ID]state // as last seen
	// complete has the hubs of which all runs were seen.
	complete map[engine.HubName]bool
	sent     map[notification]time.Time // by the hub's clock
}

// state is what a notification reports: the state word, and the stage where the run
// waits.
type state struct {
	word engine.Word
	late bool
	at   int
}

// notification is one that was sent.
type notification struct {
	run engine.ID
	of  state
}

// Use sends notifications by other means from now on. Those that wait are executed by the new
// program, if there is one.
func (n *Notifier) Use(m Means) {
	if n.means = m; len(m.Exec) == 0 {
		n.waiting, n.dropped = nil, 0
	}
}

// New returns a notifier without a chosen run. hook, if not nil, runs until ctx ends, and
// log takes what went wrong with it; plain leaves out the notification of the desktop.
func New(ctx context.Context, sc *scene.Scene, m Means, hook Hook, log func(engine.Text), plain bool) *Notifier {
	return &Notifier{
		ctx: ctx, scene: sc, means: m, hook: hook, log: log, plain: plain,
		chosen: map[engine.ID]bool{}, seen: map[engine.ID]state{}, complete: map[engine.HubName]bool{}, sent: map[notification]time.Time{},
	}
}

// stateOf leaves out the stage where the run goes on automatically.
func stateOf(v *engine.RunView) state {
	s := state{word: v.Word, late: v.Late, at: -1}
	if v.Word == engine.WordApproval || v.Word == engine.WordNotAccepted || v.Word == engine.WordStuck {
		s.at = v.At
	}
	return s
}

// text is the state as the list shows it.
func (s state) text() engine.Text {
	switch {
	case s.late && s.word == engine.WordDeleting:
		return engine.Lit("DELETING, needs attention")
	case s.late:
		return engine.Textf("%s LATE", engine.Clean(s.word.String()))
	}
	return engine.Clean(s.word.String())
}

// Chosen reports whether a notification is set for a run.
func (n *Notifier) Chosen(id engine.ID) bool { return n.chosen[id] }

// Toggle sets the notification for a run, or clears it.
func (n *Notifier) Toggle(id engine.ID) {
	switch v := n.scene.Find(id); {
	case v == nil:
		n.scene.Say(theme.Sub, engine.Lit("No run is selected."))
	case n.chosen[id]:
		delete(n.chosen, id)
		n.scene.Say(theme.Sub, engine.Textf("Notifications for %s are off.", v.ID.Title()))
	case v.Terminal:
		n.scene.Say(theme.Sub, engine.Textf("%s %s, which is final.", v.ID.Title(), column.Phrase(v.Word, v.Late)))
	default:
		n.chosen[id], n.seen[id] = true, stateOf(v)
		n.scene.Say(theme.Text, engine.Textf("Notifies when %s leaves %s; press {wait} again to turn this off.", v.ID.Title(), engine.Clean(v.Word.String())))
	}
}

// Compare compares the snapshot with the one before and rings for what changed. What is
// not read yet, or comes from a hub that is unreachable, is no change.
func (n *Notifier) Compare() tea.Cmd {
	s := n.scene.Snap
	if s == nil || len(n.chosen) == 0 && !n.means.All {
		return nil
	}
	seen := make(map[engine.ID]state, len(s.Runs))
	var news []Event
	for _, hub := range s.Each() {
		if hub.Complete && hub.Link.State == engine.LinkLive {
			news = append(news, n.compare(hub, seen)...)
			n.complete[hub.Hub.Name] = true
			continue
		}
		for id, was := range n.seen {
			if s.Of(id) == hub {
				seen[id] = was
			}
		}
	}
	for x := range n.sent {
		if _, there := seen[x.run]; !there {
			delete(n.sent, x)
		}
	}
	n.seen = seen
	return n.ring(news)
}

// compare returns what changed on a hub, and adds to seen what its runs are now.
func (n *Notifier) compare(hub *engine.Snapshot, seen map[engine.ID]state) (news []Event) {
	for _, v := range hub.Runs {
		now := stateOf(v)
		was, known := n.seen[v.ID]
		if v.Partial && !v.RowOnly || v.Word == engine.WordUnknown {
			if known {
				seen[v.ID] = was
			}
			continue
		}
		seen[v.ID] = now
		wanted := n.chosen[v.ID] && known
		// A run that appears is a change once the list has been complete.
		wanted = wanted || n.means.All && n.complete[hub.Hub.Name] && v.NeedsAttention() && v.InTrouble()
		if !wanted || now == was {
			continue
		}
		if n.recentlySent(v.ID, now) { // compared again, and sent later if it is still so
			if delete(seen, v.ID); known {
				seen[v.ID] = was
			}
			continue
		}
		e := Event{At: hub.At, ID: v.ID, Run: v, Text: engine.Textf("%s %s", n.title(v.ID), column.Phrase(now.word, now.late))}
		if known && (was.word != now.word || was.late != now.late) {
			e.Was, e.Text = was.text(), engine.Textf("%s (was %s)", e.Text, was.text())
		}
		news = append(news, e)
		if v.Terminal {
			delete(n.chosen, v.ID)
		}
	}
	for id := range n.chosen {
		if _, there := seen[id]; !there && n.scene.Of(id) == hub && hub.Find(id) == nil {
			delete(n.chosen, id)
			news = append(news, Event{At: hub.At, ID: id, Text: engine.Textf("%s was deleted", n.title(id))})
		}
	}
	return news
}

// title names a run, with its hub where several are shown.
func (n *Notifier) title(id engine.ID) engine.Text {
	if len(n.scene.Snap.Hubs) == 0 {
		return id.Title()
	}
	return engine.Textf("%s on %s", id.Title(), id.Hub().Text())
}

// recentlySent reports whether the same notification was sent within interval; if not,
// it counts as sent now.
func (n *Notifier) recentlySent(id engine.ID, now state) bool {
	x, at := notification{id, now}, n.scene.HubNow()
	if last, ok := n.sent[x]; ok && at.Sub(last) < interval {
		return true
	}
	n.sent[x] = at
	return false
}
