package ui

import (
	"context"
	"errors"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/busy"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/field"
	"github.com/stagewatch/stagewatch/ui/header"
	"github.com/stagewatch/stagewatch/ui/keybar"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/panes"
	"github.com/stagewatch/stagewatch/ui/run"
	"github.com/stagewatch/stagewatch/ui/runlist"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/selection"
	"github.com/stagewatch/stagewatch/ui/stack"
	"github.com/stagewatch/stagewatch/ui/theme"
	"github.com/stagewatch/stagewatch/ui/viewer"
)

// screen is what fills the terminal below the header.
type screen uint8

const (
	screenRuns screen = iota // the list of runs
	screenRun                // one run, opened
)

// mode says what keys mean at the moment.
type mode uint8

const (
	modeBrowse  mode = iota // keys move and open
	modeFilter              // keys type a filter
	modeDialog              // a dialog asks
	modePage                // a page of text covers the screen
	modeCommand             // keys type a command
)

// Model is the screen. Only Update changes it; View reads it.
type Model struct {
	ctx  context.Context
	src  Source
	opt  Options
	keys keymap.Map
	look look

	scene *scene.Scene
	mode  mode

	head *header.Header
	bar  keybar.Bar
	runs *runlist.List
	// stack holds what was opened over the list, the top last. screen and
	// run are derived from it; run is empty while no run is opened.
	stack   stack.Stack
	screen  screen
	run     *run.Pane
	panes   *panes.Panes
	changes panes.Changes
	home    engine.ID        // Row of the list that the lowest level was opened from
	input   field.Expression // the filter while it is typed
	page    viewer.Viewer
	asked   int // how many times a page was asked for
	help    viewer.Viewer
	helpFor keymap.Scope // where it was opened
	helping bool         // the help covers the screen
	texts   int          // counts the texts that were opened
	dialog  *dialog.Dialog
	rules   *dialog.Rules
	layers  *theme.Layers
	spinner busy.Spinner
	command palette.Palette
	over    mode // what the command line or a filter that is typed lies over
	// theme is the chosen one, previewed that of the screen: while themes are listed, the
	// selected one.
	theme, previewed string
	view             string // of the list, as it was given out
	mouse            bool   // clicks and the wheel are handled
	guard            guard
	pods             podsWatch
	notify           *notify.Notifier
	focus            engine.Focus  // that the source was last given
	pending          runref.Ref    // run to open as soon as it is listed
	choice           choice        // where several runs had the name to open
	abort            bool          // ctrl-c was the last key
	kept             *Change       // to be applied when the dialog or the line that is typed is closed
	reopens          []engine.Text // changed keys for which the screen opens again
}

// View is a filter and an order of the list with a name.
type View = runlist.View

// look is what the terminal is like.
type look struct {
	w, h       int
	dark, mono bool
}

// New returns a screen that draws what src gives until ctx ends.
func New(ctx context.Context, src Source, o Options) *Model {
	m := &Model{
		ctx: ctx, src: src, opt: o, keys: o.Keys.OrDefault(), scene: &scene.Scene{Now: o.Now}, layers: &theme.Layers{}, run: &run.Pane{}, pending: o.Start, mouse: o.Mouse,
		rules: &dialog.Rules{Propose: act.Propose, Clone: act.ProposeClone},
	}
	m.scene.Colour = o.ContextColour
	m.head = header.New(m.scene)
	m.notify = notify.New(ctx, m.scene, o.Notify, o.Hook, o.Log, o.BellOnly)
	m.runs = runlist.New(ctx, m.scene, src, o.Hubs)
	m.runs.Columns(o.Columns)
	m.runs.SetViews(o.Views)
	m.panes = panes.New(m.newRun)
	m.runs.Keys, m.runs.Waits = m.hints, m.notify.Chosen
	m.dialog = dialog.New(ctx, src, m.rules, m.scene)
	m.look.dark = o.Dark == nil || *o.Dark
	m.theme, m.previewed = o.Theme, o.Theme
	m.restyle()
	if o.View != "" {
		m.runs.Use(o.View)
	}
	m.warnOfTheme()
	if !o.Notice.IsZero() {
		m.scene.Say(theme.Wait, o.Notice)
	}
	return m
}

// Init starts the clock and waits for the first snapshot.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.waitNext(), m.tick(), m.waitChange()}
	if m.opt.Dark == nil {
		cmds = append(cmds, tea.Raw(ansi.RequestBackgroundColor))
	}
	return tea.Batch(cmds...)
}

// Update is the table of contents: one message, one method.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case nextMsg:
		cmd = m.onNext(msg)
	case tickedMsg:
		m.scene.Tick(msg.now)
		m.scene.Note.Expire(m.scene.Now, m.scene.Snap != nil)
		if m.mode == modeCommand { // not with each snapshot: a list of all runs is long
			m.command.Refresh()
		}
		cmd = tea.Batch(m.tick(), m.spinner.Tick(m.loading(), m.scene.Theme.Glyph.Spinner), m.dialog.Recheck(), m.lookAhead(), m.lookAtPods(), m.notify.Compare())
	case spinner.TickMsg:
		cmd = m.spinner.Turn(msg, m.loading())
	case tea.KeyPressMsg:
		cmd = m.onKey(msg)
	case tea.PasteMsg:
		m.onPaste(msg)
	case tea.MouseClickMsg:
		cmd = m.onClick(msg.Mouse())
	case tea.MouseWheelMsg:
		m.onWheel(msg.Mouse())
	case tea.WindowSizeMsg:
		m.look.w, m.look.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if m.opt.Dark == nil {
			m.looks(msg.IsDark(), m.look.mono)
		}
	case tea.ColorProfileMsg:
		m.looks(m.look.dark, msg.Profile <= colorprofile.ASCII)
	case dialog.Msg:
		cmd = m.toDialog(msg)
	case answeredMsg:
		cmd = m.onText(msg)
	case textDueMsg:
		cmd = m.onTextDue(msg)
	case pageMsg:
		cmd = m.onPage(msg)
	case dueMsg:
		cmd = m.onDue(msg)
	case restMsg:
		cmd = m.onRest(msg)
	case changesRestMsg:
		cmd = m.onChangesRest(msg)
	case run.ForecastMsg:
		m.run.OnForecast(msg)
	case selection.Msg:
		m.runs.OnSelection(msg)
	case podsMsg:
		m.pods.busy, m.pods.again = false, m.scene.Now.Add(podsEvery)
	case changedMsg:
		cmd = m.onChange(msg.change)
	case notify.HookMsg:
		cmd = m.notify.OnHook(msg)
	case forgottenMsg:
		cmd = m.onForgotten(msg)
	case CannotSuspendMsg:
		m.scene.Say(theme.Wait, engine.Lit("Cannot suspend: no shell in this session can continue stagewatch. Press {leave} to quit."))
	}
	m.applyKept()
	if other := m.reopen(); other != nil {
		cmd = other
	}
	m.preview()
	m.scene.Spinner = m.spinner.Frame()
	if m.readsText() {
		m.text().Spin(m.scene.Spinner)
		m.text().Resize(m.scene.Theme, m.look.w, m.bodyHeight())
	}
	cmd = tea.Batch(cmd, m.runs.Evaluate())
	m.arrange()
	cmd = tea.Batch(cmd, m.settle(), m.settleChanges())
	m.arrangeBar()
	m.want()
	m.noteView()
	m.spinner.Note(m.loading())
	return m, cmd
}

// looks takes note of the colours of the terminal, which confirms what was assumed on most.
func (m *Model) looks(dark, mono bool) {
	if dark != m.look.dark || mono != m.look.mono {
		m.look.dark, m.look.mono = dark, mono
		m.restyle()
	}
}

// restyle makes another theme; caches keyed by the old one miss from then on.
func (m *Model) restyle() {
	m.scene.Theme = theme.Named(m.previewed, m.opt.Themes, m.look.dark, m.opt.ASCII, m.look.mono).WithKeys(m.keys)
}

// waitNext returns the one command that waits for data. It is given out once
// at the start and once with each snapshot that arrives.
func (m *Model) waitNext() tea.Cmd {
	ctx, src := m.ctx, m.src
	return func() tea.Msg {
		s, err := src.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return nextMsg{snap: s, err: err}
	}
}

// tick gives the time once, a second from now.
func (m *Model) tick() tea.Cmd {
	return m.after(time.Second, func(t time.Time) tea.Msg { return tickedMsg{now: t} })
}

// after gives a message when d is over, unless the screen ends before: a
// command cannot be taken back and would outlive it.
func (m *Model) after(d time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
	ctx, timer := m.ctx, time.NewTimer(d)
	return func() tea.Msg {
		defer timer.Stop()
		select {
		case t := <-timer.C:
			return msg(t)
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) onNext(msg nextMsg) tea.Cmd {
	if msg.err != nil {
		if !errors.Is(msg.err, context.Canceled) {
			m.head.End(engine.Clean(msg.err.Error()))
		}
		return nil
	}
	before := m.scene.Snap
	m.scene.Show(msg.snap)
	for _, h := range msg.snap.Each() {
		if before != nil && !before.Of(engine.ID{}.On(h.Hub.Name)).Raised.IsZero() && h.Raised.IsZero() {
			m.scene.Say(theme.Wait, engine.Textf("Writes to %s are blocked again.", h.Hub.Context))
		}
	}
	m.scene.Note.Expire(m.scene.Now, m.scene.Snap != nil)
	m.openPending()
	cmds := []tea.Cmd{m.waitNext(), m.dialog.Recheck(), m.notify.Compare(), m.onDetail(before)}
	if s := m.sheet(); s != nil && s.IsPartial() && !s.IsAsking() && msg.snap.Complete {
		cmds = append(cmds, m.ask(s))
	}
	return tea.Batch(cmds...)
}

// arrange fits the components to data and size after every message.
func (m *Model) arrange() {
	m.arrangeRuns()
	if m.scene.Snap == nil {
		return
	}
	if l := m.layout(); l.On() {
		m.arrangePanes(&l)
	} else {
		if m.screen == screenRun {
			m.run.Arrange(m.look.w, m.bodyHeight(), run.Alone)
		}
		if s := m.sheet(); s != nil {
			m.arrangeSheet(s, m.look.w, m.bodyHeight())
		}
	}
	m.arrangeGuard()
	if m.mode != modeDialog {
		m.dialog.Dismiss()
	} else if m.look.w >= leastWidth && m.look.h >= leastHeight {
		m.dialog.Arrange(m.look.w, m.bodyHeight())
	}
}

// want gives the source what is on the screen.
func (m *Model) want() {
	if m.scene.Snap == nil {
		return
	}
	f := engine.Focus{Cursor: m.runs.Selected(), Top: !m.runs.Held() && m.screen != screenRun, Causes: m.runs.OfCauses()}
	f.Rows, f.AllRows = m.runs.RowOnly()
	if id := m.panes.Rested(); engine.IsRun(id.Kind()) {
		f.Run = id
	}
	if m.screen == screenRun {
		f.Run = m.run.ID()
	}
	if !f.Equal(m.focus) {
		m.focus = f
		m.src.Want(f)
	}
}

func (m *Model) arrangeRuns() {
	w, h := m.look.w, m.bodyHeight()
	l := m.layout()
	if l.On() {
		w, h = l.Inner(panes.List)
	}
	m.runs.Arrange(w, h, m.mode == modeFilter, !l.On())
}
