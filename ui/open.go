package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui/runlist"
	"github.com/stagewatch/stagewatch/ui/stack"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// open shows a run; esc returns to what was on the screen.
func (m *Model) open(id engine.ID) {
	m.mode = modeBrowse
	m.scene.Quiet()
	if m.sheet() == nil && m.screen == screenRun && m.run.ID() == id {
		return // it is on the screen
	}
	m.push(stack.Level{Run: m.panes.RunOf(id)})
}

// openPending opens the run that was asked for at the start, when it comes. A
// name that other runs may have waits until the names of all of them are known.
func (m *Model) openPending() {
	if m.pending.IsZero() {
		return
	}
	ref := m.pending
	found := m.match(ref)
	if !m.scene.Snap.Complete && (!m.pending.Exact() && !found.IsNamed() || found.Outcome() != runref.MatchOne) {
		return
	}
	m.pending = runref.Ref{}
	m.openFound(ref, m.startAt)
}

func (m *Model) match(ref runref.Ref) runref.Match { return ref.In(m.scene.Snap, m.opt.Scope) }

// openFound opens the run that a RUN argument selects. Several are listed for a
// person to choose from. What it says goes as soon as another answer is true.
func (m *Model) openFound(ref runref.Ref, open func(engine.ID)) runref.MatchOutcome {
	found := m.match(ref)
	p, note := found.Problem(), found.Note()
	holds := func() bool {
		now := m.match(ref)
		return now.Outcome() == found.Outcome() && now.Problem().Why == p.Why && now.Note() == note
	}
	switch found.Outcome() {
	case runref.MatchOne:
		open(found.IDs[0])
		if !note.IsZero() {
			m.scene.SayWhile(theme.Wait, engine.Textf("%s.", note), holds)
		}
	case runref.MatchSeveral:
		m.mode = modeBrowse
		m.clearStack()
		m.runs.Return(runlist.Listing{Sel: found.IDs[0], Held: true, Filter: "run:=" + found.Ref.Name().String()})
		m.scene.SayWhile(theme.Wait, engine.Textf("%s; choose one, or {command}open it: %s.", engine.Capital(p.Why), p.Hint), holds)
	case runref.MatchNone, runref.MatchUnlisted:
		m.scene.SayWhile(theme.Bad, engine.Textf("%s.", engine.Capital(engine.Textf("%s%s", found.Similar, p.Why))), holds)
	}
	return found.Outcome()
}

// choice is where a person was when several runs had the name to open. It holds as
// long as the list has the filter that lists them.
type choice struct {
	stack  stack.Stack
	home   engine.ID
	list   runlist.Listing
	filter string
}

// openNamed opens the run that the argument of :open selects, with flags as commands take them.
func (m *Model) openNamed(arg string) {
	if m.scene.Snap == nil {
		return
	}
	ref, no := m.opt.Scope.ParseLine(arg)
	if no.Refused() {
		m.scene.Say(theme.Wait, engine.Textf("%s; %s.", engine.Capital(no.Why), no.Hint))
		return
	}
	from := choice{stack: m.stack, home: m.home, list: m.runs.Listing()}
	if m.openFound(ref, m.open) == runref.MatchSeveral {
		from.filter = m.runs.Filter()
		m.choice = from
	}
}

// choosing reports whether esc leaves the runs that a name was ambiguous for.
func (m *Model) choosing() bool {
	return m.screen == screenRuns && m.choice.filter != "" && m.choice.filter == m.runs.Filter() && len(m.runs.Marked()) == 0
}

// endChoice returns to where the ambiguous name was given.
func (m *Model) endChoice() tea.Cmd {
	c := m.choice
	m.choice, m.stack, m.home = choice{}, c.stack.Covered(), c.home
	m.runs.Return(c.list)
	if len(m.stack) == 0 {
		m.home = m.runs.Selected()
	}
	return m.land()
}

func (m *Model) startAt(id engine.ID) {
	m.runs.Select(id)
	m.open(id)
}

// preemptor returns the run that preempted the one that the keys are about, or a cluster
// of it; zero when none did.
func (m *Model) preemptor() engine.ID {
	if m.screen == screenRun {
		return m.run.PreemptedBy()
	}
	if v := m.runs.Current(); v != nil {
		return v.PreemptedBy
	}
	return engine.ID{}
}

// canJump reports whether there is a run to go to.
func (m *Model) canJump() bool { return !m.preemptor().IsZero() }

// noPreemptor says why there is no run to go to: only bindings name it, and
// they may not be there yet.
func (m *Model) noPreemptor() engine.Text {
	v := m.runs.Current()
	if m.screen == screenRun {
		v = m.run.Run()
	}
	if v != nil && v.Word == engine.WordPreempted {
		return engine.Lit("The run that preempted this one is unknown: the bindings are not read yet.")
	}
	return engine.Lit("No run preempted this one.")
}

// jump opens the run that preempted this one.
func (m *Model) jump() {
	id := m.preemptor()
	if id.IsZero() {
		m.scene.Say(theme.Sub, m.noPreemptor())
		return
	}
	if v := m.scene.Named(id); v != nil {
		m.open(v.ID)
		return
	}
	m.scene.SayWhile(theme.Wait, engine.Textf("%s preempted this run, but it is no longer listed.", id.Title()), func() bool { return m.scene.Named(id) == nil })
}
