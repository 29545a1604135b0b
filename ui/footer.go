package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// footRows is the height of the foot: the line that answers the last key, and
// the bar of keys.
const footRows = 2

// guard is what engine says about the acts on the run that keys would
// act on. It is asked anew when run, data or second change.
type guard struct {
	snap *engine.Snapshot
	run  engine.ID
	now  time.Time
	can  [engine.ActDelete + 1]bool
}

// target is the run that keys act on: the opened one, or the one under the
// cursor; or the placement that has none yet.
func (m *Model) target() engine.ID {
	if m.sheet() != nil {
		sub := m.subject()
		if v := m.scene.Find(sub.Placement); sub.Run.IsZero() && v != nil {
			return v.ID // a placement that waits for a run
		}
		return sub.Run
	}
	if m.screen == screenRun {
		return m.run.id
	}
	if v := m.runs.current(); v != nil {
		return v.ID
	}
	return engine.ID{}
}

// arrangeGuard keeps the guard's answers at hand for the bar of keys.
func (m *Model) arrangeGuard() {
	id, now := m.target(), m.scene.HubNow().Truncate(time.Second)
	if m.guard.snap == m.scene.Snap && m.guard.run == id && m.guard.now.Equal(now) {
		return
	}
	m.guard = guard{snap: m.scene.Snap, run: id, now: now}
	for _, a := range writers {
		_, no := m.rules.Propose(m.scene.Snap, a, id, m.scene.HubNow())
		m.guard.can[a] = !id.IsZero() && (!no.Refused() || no.Choose)
	}
}

func (m *Model) footerView(out []string) []string {
	out = append(out, m.answerLine())
	return append(out, m.keyBar(len(out)))
}

// answerLine is the filter that is typed, or the answer to the last key.
func (m *Model) answerLine() string {
	r := cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).To(1)
	switch m.mode {
	case modeFilter:
		r.Put(theme.Key|theme.Bold, "/")
		m.cursor = tea.NewCursor(m.input.Write(r, m.scene.Theme, theme.Name, r.Left()), m.look.h-footRows)
		if m.input.AtEnd() {
			r.Gap(1)
		}
		r.Put(theme.Faint, "  words, !not, state:stuck cluster:m* stage: ns:   enter keep, esc clear")
	case modeCommand:
		m.cursor = tea.NewCursor(m.command.Write(r, m.scene.Theme), m.look.h-footRows)
	case modeDialog:
		if m.cursor = m.dialog.Cursor(); m.cursor != nil {
			m.cursor.Y += headRows
		}
		m.scene.Note.Write(r)
	case modeBrowse, modePage:
		m.scene.Note.Write(r)
	}
	return r.String()
}

// keyBar shows the keys of the screen, and on the right the ones that act.
func (m *Model) keyBar(y int) string {
	th, w := m.scene.Theme, m.look.w
	var left, right cell.Spans
	var leftDo, rightDo []keymap.Action
	for _, e := range m.keys.In(m.scope()) {
		if !e.Writes {
			continue
		}
		h, k, d := e.Key.Help(), theme.Faint, theme.Faint
		if m.scene.Snap != nil && m.guard.can[writers[e.Action]] {
			k, d = theme.Key|theme.Bold, theme.Text
		}
		right = append(right, cell.Styled(k, "  "+h.Key), cell.Styled(d, " "+h.Desc))
		rightDo = append(rightDo, e.Action)
	}
	room := w - right.Width() - 2
	for bar := 1; bar < 10; bar++ {
		for _, e := range m.keys.In(m.scope()) {
			if e.Bar != bar || e.Writes || m.idle(e.Action) {
				continue
			}
			h := e.Short()
			h.Key = th.KeyName(h.Key)
			if n := cell.Width(h.Key) + cell.Width(h.Desc) + 3; n <= room {
				room -= n
				left = append(left, cell.Styled(theme.Text, h.Key), cell.Styled(theme.Sub, " "+h.Desc+"  "))
				leftDo = append(leftDo, e.Action)
			}
		}
	}
	r := cell.NewRow(th, w, theme.Bar).To(1)
	m.putKeys(r, y, left, leftDo)
	r.To(w - right.Width() - 1)
	m.putKeys(r, y, right, rightDo)
	return r.String()
}

// putKeys writes keys, two spans each, and notes where they stand.
func (m *Model) putKeys(r *cell.Row, y int, keys cell.Spans, do []keymap.Action) {
	for i, s := range keys {
		from := r.At()
		r.Put(s.Style, s.Text)
		m.note(spot{y: y, from: from, to: r.At(), kind: spotAction, action: do[i/2]})
	}
}

// idle reports whether a key would do nothing here that anybody wants.
func (m *Model) idle(a keymap.Action) bool {
	switch a {
	case keymap.Taker:
		return !m.canJump()
	case keymap.Back:
		return m.scope() == keymap.ScopeRuns
	case keymap.Help:
		return m.mode == modePage
	case keymap.DialogCopy, keymap.PickOther, keymap.PickDown:
		return m.dialog.Idle(a)
	case keymap.Member:
		c := m.run.current()
		return m.scope() == keymap.ScopeRun && (c == nil || len(c.Failing) == 0)
	}
	return false
}

// refusalOf is why a writing key is not possible at the moment.
func (m *Model) refusalOf(e keymap.Entry) engine.Refusal {
	id := m.target()
	if id.IsZero() {
		return engine.Refusal{Why: engine.Lit("no run is selected")}
	}
	_, no := m.rules.Propose(m.scene.Snap, writers[e.Action], id, m.scene.HubNow())
	return no
}
