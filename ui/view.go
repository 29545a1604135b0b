package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The smallest terminal on which the screen makes sense.
const (
	leastWidth  = 40
	leastHeight = 12
)

// View joins what panes drew. It changes nothing but caches, and notes what
// stands where for the mouse.
func (m *Model) View() tea.View {
	m.spots, m.cursor = m.spots[:0], nil
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen, v.Cursor = true, m.cursor
	v.WindowTitle = m.title()
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// lines returns the rows of the screen, exactly as many as it is high.
func (m *Model) lines() []string {
	w, h := m.look.w, m.look.h
	if w <= 0 || h <= 0 {
		return nil
	}
	if w < leastWidth || h < leastHeight {
		return m.tooSmall()
	}
	out := make([]string, 0, h)
	switch {
	case m.mode == modePage || m.mode == modeCommand && m.command.over == modePage:
		out = m.pageView(m.headerView(out))
	case m.mode == modeDialog:
		out = m.dialogView(m.headerView(out))
	case m.sheet() != nil:
		out = m.sheetView(m.headerView(out))
	case m.scene.Snap == nil || (len(m.scene.Snap.Runs) == 0 && m.screen == screenRuns):
		out = m.emptyView(m.headerView(out))
	case m.screen == screenRun:
		out = m.runView(m.headerView(out))
	default:
		out = m.homeView(m.headerView(out))
	}
	out = cell.Pad(out, h-footRows)
	if m.mode == modeCommand {
		m.commandView(out)
	}
	return m.footerView(out)
}

// tooSmall says what is missing, in as many rows as there are.
func (m *Model) tooSmall() []string {
	var out []string
	s := engine.Textf("stagewatch needs %d columns and %d rows; this terminal has %d x %d.", leastWidth, leastHeight, m.look.w, m.look.h)
	for _, l := range cell.WrapString(m.scene.Theme, cell.Text(m.scene.Theme, s), m.look.w, m.look.h) {
		if len(out) < m.look.h {
			out = append(out, cell.NewRow(m.scene.Theme, m.look.w, theme.Plain).Put(theme.Text, l).String())
		}
	}
	return out
}

// dialogView draws the dialog in the middle of the body.
func (m *Model) dialogView(out []string) []string {
	x, y := m.dialog.Position()
	out = cell.Pad(out, len(out)+y)
	for l := range strings.SplitSeq(m.dialog.View(), "\n") {
		out = append(out, strings.Repeat(" ", x)+l)
	}
	return out
}

// bodyHeight is the height between the header and the foot.
func (m *Model) bodyHeight() int { return m.look.h - headRows - footRows }

// whyRows is the height of WHY, RECOVERY and NEXT together.
func (m *Model) whyRows() int {
	switch h := m.look.h; {
	case h < 16:
		return 2
	case h < 20:
		return 3
	case h < 24:
		return 5
	case h < 30 && m.screen == screenRuns:
		return 7
	case h < 40:
		return 6
	}
	return 8
}

// previewRows is the height of the stages of the run under the cursor, which
// a tall terminal has room for, and a lower one when all rows are on screen.
func (m *Model) previewRows() int {
	n := stages.BoxRows(2) + 1
	spare := m.look.h - headRows - 2 - n - m.whyRows() - footRows
	if m.look.h < 44 && (m.look.h < 30 || spare < len(m.runs.rows)) {
		return 0
	}
	return n
}

// homeRows is what the list and the reasons below it share.
func (m *Model) homeRows() int { return m.look.h - headRows - 1 - 1 - m.previewRows() - footRows }

// homeWhyMost is the height that the reasons need on a narrow terminal when
// they have much to say.
const homeWhyMost = 13

// homeWhyRows is the height of the reasons below the list: rows that a short
// list leaves empty are theirs, so that no sentence is cut beside a blank. It
// does not depend on the run under the cursor nor on a filter that is being
// typed, or the line above would jump.
func (m *Model) homeWhyRows() int {
	rows := len(m.runs.rows)
	if m.mode == modeFilter {
		rows = len(m.scene.Snap.Runs)
	}
	return max(m.whyRows(), min(m.homeRows()-rows, homeWhyMost))
}

// runsHeight is how many rows of the list are on screen.
func (m *Model) runsHeight() int { return max(1, m.homeRows()-m.homeWhyRows()) }

// homeView is the list with the reasons of the run under the cursor.
func (m *Model) homeView(out []string) []string {
	out = m.runsView(out)
	v := m.runs.current()
	out = append(out, m.divider(v))
	if n := m.previewRows(); n > 0 {
		end := len(out) + n
		if v != nil && len(v.Stages) > 0 {
			out = append(out, m.stageBoxes(v, v.At, false, min(2, stages.TaskRows(v))).View(m.look.w)...)
		}
		out = cell.Pad(out, end)
	}
	return m.whyView(out, v, m.homeWhyRows())
}

// emptyView says why there is nothing to list.
func (m *Model) emptyView(out []string) []string {
	th, w := m.scene.Theme, m.look.w
	say := func(k theme.Style, x engine.Text) {
		for _, s := range cell.Wrap(th, x, min(w-8, 76), 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(4).Put(k, s).String())
		}
	}
	out = append(out, "")
	if m.scene.Snap == nil {
		say(theme.Text, engine.Lit("Connecting to the hub."))
		return out
	}
	l := m.scene.Snap.Link
	switch l.State {
	case engine.LinkReconnecting, engine.LinkStale, engine.LinkRefused:
		switch l.State {
		case engine.LinkReconnecting:
			say(theme.Wait|theme.Bold, engine.Lit("The hub is unreachable; reconnecting."))
		case engine.LinkRefused:
			say(theme.Bad|theme.Bold, engine.Lit("You may not list runs on this hub."))
		default:
			say(theme.Wait|theme.Bold, engine.Lit("The hub returns errors."))
		}
		out = append(out, "")
		say(theme.Text, l.Err)
		say(theme.Sub, l.Hint)
	case engine.LinkLoading:
		say(theme.Text, engine.Lit("Loading runs."))
	case engine.LinkLive:
		if !m.scene.Snap.Complete {
			say(theme.Text, engine.Lit("Loading runs."))
			break
		}
		if m.scene.Snap.Scope.NoHub {
			m.noHub(say)
			break
		}
		say(theme.Text, engine.Textf("No staged update runs in %s.", m.scene.Snap.Scope.Namespaces))
		say(theme.Sub, engine.Lit("New runs appear automatically."))
		for _, n := range m.scene.Snap.Scope.Notes {
			say(theme.Wait, n)
		}
	}
	return out
}

// noHub says that the cluster is not a hub, and how to get to one.
func (m *Model) noHub(say func(theme.Style, engine.Text)) {
	say(theme.Bad|theme.Bold, engine.Lit("This cluster has no KubeFleet hub API."))
	say(theme.Text, engine.Lit("It serves neither runs nor placements: it may be a member cluster."))
	say(theme.Text, engine.Lit("To switch, quit (q), then: stagewatch --context NAME"))
	if len(m.opt.Hubs) == 0 {
		say(theme.Sub, engine.Lit("No other context of the kubeconfig looks like a hub by its name."))
		return
	}
	say(theme.Sub, engine.Lit("Contexts that look like hubs, by name or from before (not contacted):"))
	for i, h := range m.opt.Hubs {
		if i == 8 {
			say(theme.Sub, engine.Textf("and %d more", len(m.opt.Hubs)-i))
			break
		}
		say(theme.Name, engine.Textf("  stagewatch --context %s", h))
	}
}

// title is what the terminal's title bar and the tab of a multiplexer show.
func (m *Model) title() string {
	if m.scene.Snap == nil {
		return "stagewatch"
	}
	s := "stagewatch " + cell.Text(m.scene.Theme, m.scene.Snap.Hub.Context)
	if m.scene.Snap.Link.State != engine.LinkLive {
		return s + " " + m.scene.Snap.Link.State.String()
	}
	for _, n := range m.scene.Snap.Need {
		s += " - " + label.Need(n)
	}
	return s
}
