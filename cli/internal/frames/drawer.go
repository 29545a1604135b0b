// Package frames draws the views of a screen on a terminal. The first six views after a pause
// are drawn at once, others at most 60 times a second, and while none comes nothing wakes up. It
// takes the place of Bubble Tea's renderer, which looks on a clock whether the view has
// changed: a frame waits for the clock, and an idle program pays for it.
package frames

import (
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// interval is the time between two frames of many, burst how many are drawn without it after a
// pause. A start needs up to six: the empty screen, the hub, the colours of the terminal, the
// person, the rows, and that they are live.
const (
	interval = time.Second / 60
	burst    = 6
)

// Drawer draws on one terminal. Show and Filter never wait for it.
type Drawer struct {
	out io.Writer
	env []string
	// wake has a value while there may be something to draw.
	wake chan struct{}

	mu   sync.Mutex // never held while the terminal is written to
	next next

	// drawing is held while a frame is made and written; shown is nil while the screen does
	// not have the terminal.
	drawing sync.Mutex
	shown   *surface
}

// next is what the next frame shows.
type next struct {
	terminal
	view    tea.View
	control string // sequences that belong to no view
}

// terminal is what is known of the terminal.
type terminal struct {
	width, height int
	profile       colorprofile.Profile
	// A synchronized terminal shows a frame when it is complete; one with graphemes measures
	// text as Unicode does.
	synchronized, graphemes bool
}

// New returns a drawer for a terminal of a size, whose environment variables are env.
func New(out io.Writer, env []string, size tea.WindowSizeMsg, profile colorprofile.Profile) *Drawer {
	d := &Drawer{out: out, env: env, wake: make(chan struct{}, 1)}
	d.next.terminal = terminal{width: size.Width, height: size.Height, profile: profile}
	return d
}

// Run draws until stop is closed.
func (d *Drawer) Run(stop <-chan struct{}) {
	var nextDue time.Time // when the next frame is due at an even pace
	for {
		select {
		case <-d.wake:
		case <-stop:
			return
		}
		if early := time.Until(nextDue.Add(-(burst - 1) * interval)); early > 0 {
			select {
			case <-time.After(early):
			case <-stop:
				return
			}
		}
		if began := time.Now(); d.frame() {
			if began.After(nextDue) {
				nextDue = began
			}
			nextDue = nextDue.Add(interval)
		}
	}
}

// Show makes a view the next that is drawn.
func (d *Drawer) Show(v tea.View) {
	d.mu.Lock()
	d.next.view = v
	d.mu.Unlock()
	d.look()
}

// look has the next frame drawn as soon as there may be one.
func (d *Drawer) look() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Filter takes what a message says about the terminal, or for it. It returns nil for one that
// is for nobody else.
func (d *Drawer) Filter(msg tea.Msg) tea.Msg {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch msg := msg.(type) {
	case tea.RawMsg:
		d.next.control += fmt.Sprint(msg.Msg)
		d.look()
		return nil
	case tea.WindowSizeMsg:
		d.next.width, d.next.height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		d.next.profile = msg.Profile
	case tea.ModeReportMsg:
		switch {
		case msg.Mode == ansi.ModeSynchronizedOutput:
			d.next.synchronized = msg.Value == ansi.ModeReset
		case msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet):
			d.next.graphemes = true
		}
	}
	return msg
}

// frame draws what is not drawn yet, if the screen has the terminal. It reports whether there
// was anything to draw.
func (d *Drawer) frame() bool {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if d.shown == nil {
		return false
	}
	d.mu.Lock()
	n := d.next
	d.next.control = ""
	d.mu.Unlock()
	sequences, drawn := d.shown.frame(&n)
	d.write(sequences)
	return drawn
}

// Take takes the terminal for the screen and draws all of it.
func (d *Drawer) Take() {
	d.drawing.Lock()
	d.shown = newSurface(d.env)
	d.write(d.shown.begin())
	d.drawing.Unlock()
	d.look()
}

// Release leaves the terminal as it was before Take.
func (d *Drawer) Release() {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if d.shown != nil {
		d.write(d.shown.end())
		d.shown = nil
	}
}

// write writes to the terminal. One that is gone ends the input, and so the screen.
func (d *Drawer) write(frame []byte) {
	if len(frame) == 0 {
		return
	}
	_, _ = d.out.Write(frame)
}
