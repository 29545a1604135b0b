// Package selection is which runs the API servers select by the label selector of a filter.
// Each hub is asked independently, when the selector has not been typed at for a moment and
// whenever its runs have changed: one that hangs or rejects the selector holds up no other.
package selection

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/scene"
)

const (
	// pause is how long a selector stays as it was typed before it is evaluated.
	pause = 300 * time.Millisecond
	// every is the shortest time between two questions to a hub whose runs change. A run that
	// is new is asked about at once: it is not listed until the answer.
	every = 2 * time.Second
	// again is when a question that failed is repeated.
	again = 10 * time.Second
)

// Asker answers questions about a hub.
type Asker interface {
	Ask(ctx context.Context, q page.Question) page.Answer
}

// Selection is what the hubs select. Its methods are for the goroutine of the screen.
type Selection struct {
	ctx   context.Context
	scene *scene.Scene
	asker Asker

	labels  string
	version int  // of the selector
	typed   bool // the pause after the selector was typed is not over
	changes int
	hubs    map[engine.HubName]*hub
}

// hub is what one hub selects.
type hub struct {
	// of are the runs that the question was about, at when it was asked.
	of     []*engine.RunView
	at     time.Time
	asking bool
	// chosen are the selected runs; nil before the first answer.
	chosen map[engine.ID]bool
	// settled is set when the latest answer is to the present selector; err is why it has
	// none.
	settled bool
	err     engine.Text
}

// New returns a selection without a selector, which selects every row.
func New(ctx context.Context, sc *scene.Scene, asker Asker) *Selection {
	return &Selection{ctx: ctx, scene: sc, asker: asker, hubs: map[engine.HubName]*hub{}}
}

// Msg is a message for Update.
type Msg interface{ selection() }

type (
	// pausedMsg says that a version of the selector was not typed at for a moment.
	pausedMsg struct{ version int }
	// answeredMsg is the answer of a hub to a version of the selector.
	answeredMsg struct {
		version int
		hub     engine.HubName
		answer  page.Answer
	}
)

func (pausedMsg) selection()   {}
func (answeredMsg) selection() {}

// Update takes a message that a command of Use has returned.
func (s *Selection) Update(msg Msg) {
	switch msg := msg.(type) {
	case pausedMsg:
		s.typed = s.typed && msg.version != s.version
	case answeredMsg:
		h := s.hubs[msg.hub]
		if h == nil || msg.version != s.version {
			return
		}
		h.asking, h.settled, h.err = false, true, msg.answer.Err
		h.chosen = msg.answer.Selected
		s.changes++
	}
}

// Use selects by a selector, empty for every row. It returns the questions that are due.
func (s *Selection) Use(labels string) tea.Cmd {
	if labels != s.labels {
		s.labels, s.typed = labels, labels != ""
		s.version++
		s.changes++
		for _, h := range s.hubs { // what was selected before stays listed until the answer
			h.of, h.asking, h.settled, h.err = nil, false, false, engine.Text{}
		}
		if labels == "" {
			clear(s.hubs)
			return nil
		}
		return s.afterPause()
	}
	if s.labels == "" || s.typed || s.scene.Snap == nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, snap := range s.scene.Snap.Each() {
		cmds = append(cmds, s.ask(snap))
	}
	return tea.Batch(cmds...)
}

// afterPause gives a message when the selector was not typed at for a moment, unless the
// screen ends before.
func (s *Selection) afterPause() tea.Cmd {
	ctx, timer, version := s.ctx, time.NewTimer(pause), s.version
	return func() tea.Msg {
		defer timer.Stop()
		select {
		case <-timer.C:
			return pausedMsg{version}
		case <-ctx.Done():
			return nil
		}
	}
}

// ask asks one hub, when its runs are listed and have changed since it was asked.
func (s *Selection) ask(snap *engine.Snapshot) tea.Cmd {
	h := s.hubs[snap.Hub.Name]
	if h == nil {
		h = &hub{}
		s.hubs[snap.Hub.Name] = h
	}
	least := every
	if !h.err.IsZero() {
		least = again
	}
	switch {
	case h.asking, !snap.Complete, snap.Link.State != engine.LinkLive:
		return nil
	case h.settled && h.err.IsZero() && slices.Equal(h.of, snap.Runs): // a run that did not change keeps its pointer
		return nil
	case h.settled && s.scene.Now.Sub(h.at) < least && (!h.err.IsZero() || !h.lacks(snap.Runs)):
		return nil
	}
	h.of, h.at, h.asking = snap.Runs, s.scene.Now, true
	ctx, asker, msg := s.ctx, s.asker, answeredMsg{version: s.version, hub: snap.Hub.Name}
	q := page.SelectQuestion{Hub: engine.ID{}.On(snap.Hub.Name), Labels: engine.Clean(s.labels)}
	return func() tea.Msg {
		msg.answer = asker.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return msg
	}
}

// lacks reports whether one of the runs is none that the latest question was about.
func (h *hub) lacks(runs []*engine.RunView) bool {
	asked := make(map[engine.ID]bool, len(h.of))
	for _, v := range h.of {
		asked[v.ID] = true
	}
	return slices.ContainsFunc(runs, func(v *engine.RunView) bool { return !asked[v.ID] })
}

// Admits reports whether a run is listed: it is selected, or its hub has selected nothing.
func (s *Selection) Admits(v *engine.RunView) bool {
	h := s.hubs[v.ID.Hub()]
	return s.labels == "" || h == nil || h.chosen == nil || h.chosen[v.ID]
}

// Changes counts what was selected in other ways.
func (s *Selection) Changes() int { return s.changes }

// Err is why hubs have selected nothing; empty when none has failed.
func (s *Selection) Err() engine.Text {
	if s.scene.Snap == nil || s.labels == "" {
		return engine.Text{}
	}
	var hubs []engine.Text
	var why engine.Text
	for _, snap := range s.scene.Snap.Each() {
		if h := s.hubs[snap.Hub.Name]; h != nil && !h.err.IsZero() {
			hubs, why = append(hubs, snap.Hub.Context), h.err
		}
	}
	if len(hubs) == 0 || len(s.scene.Snap.Hubs) == 0 {
		return why
	}
	return engine.Textf("%s: %s", engine.Enumerate(hubs, 3), why)
}

// Waits reports whether a hub with runs in the list has not answered yet.
func (s *Selection) Waits() bool {
	if s.labels == "" || s.scene.Snap == nil {
		return false
	}
	for _, snap := range s.scene.Snap.Each() {
		if h := s.hubs[snap.Hub.Name]; len(snap.Runs) > 0 && (h == nil || !h.settled) {
			return true
		}
	}
	return false
}
