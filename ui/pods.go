package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// podsEvery is the time between two automatic member queries.
const podsEvery = 10 * time.Second

// podsWatch reads the pods that hold up the opened run from their member. What
// the member returns comes back with the Snapshots.
type podsWatch struct {
	again time.Time // when the next query may start
	busy  bool
}

// podsMsg says that an automatic member query has ended.
type podsMsg struct{}

// lookAtPods queries the member of the cluster that holds up the run that is opened or diagnosed.
func (m *Model) lookAtPods() tea.Cmd {
	w := &m.pods
	if m.mode != modeBrowse || w.busy || m.scene.Now.Before(w.again) {
		return nil
	}
	v, member := m.heldUp()
	if member.IsZero() {
		return nil
	}
	w.busy = true
	ctx, src := m.ctx, m.src
	q := enginepage.PodsQuestion{Placement: v.Placement, Run: v.ID, Member: member}
	return func() tea.Msg {
		src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return podsMsg{}
	}
}

// heldUp is the run on the screen and the member that may know why it is held up;
// no member when there is none, or its own page is open and reads it.
func (m *Model) heldUp() (v *engine.RunView, member engine.ID) {
	v = m.run.Run()
	if m.screen != screenRun || m.run.Gone() {
		v = nil
	}
	if s := m.sheet(); s != nil {
		switch q := s.Question().(type) {
		case enginepage.MemberQuestion:
			return nil, engine.ID{}
		case enginepage.DiagnosisQuestion:
			if d := m.scene.Named(q.Run); d != nil && (v == nil || v.ID != d.ID) {
				if d.Word == engine.WordStuck || d.Slow {
					return d, d.Why.Member
				}
				return nil, engine.ID{}
			}
		}
	}
	if v == nil {
		return nil, engine.ID{}
	}
	if c := m.run.HeldUp(); c != nil {
		return v, c.Member
	}
	return nil, engine.ID{}
}

// forgetContext forgets the context that was chosen for the member whose page is
// open, and reads the page again.
func (m *Model) forgetContext() tea.Cmd {
	s, q := m.memberSheet()
	if s == nil {
		m.scene.Say(theme.Sub, engine.Lit("Open a member's page first ({member})."))
		return nil
	}
	q.Context = engine.Text{}
	s.Reask(q)
	m.asked++
	s.Ask(m.asked)
	ctx, src, n := m.ctx, m.src, s.Number()
	return func() tea.Msg {
		a := src.Ask(ctx, enginepage.ForgetContextQuestion{Member: q.Member})
		if ctx.Err() != nil {
			return nil
		}
		return forgottenMsg{n: n, said: a.Lines, err: a.Err}
	}
}

// memberSheet is the page of a member on the screen and its question, nil for none.
func (m *Model) memberSheet() (*page.Page, enginepage.MemberQuestion) {
	if s := m.sheet(); s != nil {
		if q, ok := s.Question().(enginepage.MemberQuestion); ok {
			return s, q
		}
	}
	return nil, enginepage.MemberQuestion{}
}

// forgottenMsg says whether the context of the page that asked last was forgotten.
type forgottenMsg struct {
	n    int
	said []engine.Text
	err  engine.Text
}

func (m *Model) onForgotten(msg forgottenMsg) tea.Cmd {
	if s, _ := m.memberSheet(); s == nil || s.Number() != msg.n {
		return nil
	}
	for _, line := range msg.said {
		m.scene.Say(theme.Sub, line)
	}
	if !msg.err.IsZero() {
		m.scene.Say(theme.Wait, msg.err)
	}
	return m.ask(m.sheet())
}
