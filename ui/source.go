// Package ui draws: one Bubble Tea model, plain panes. It reads finished, immutable values of
// package engine and asks for writes by intent; it knows no hub, no Kubernetes type and no clock.
// Time comes in tick messages, data in snapshots. Nothing from outside reaches the terminal but
// through engine.Text and the cell writer (cell.go).
package ui

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Source is where the screen gets its data and leaves its intents.
type Source interface {
	// Next waits for a Snapshot that was not returned before; older ones may
	// be skipped. It returns an error when there will be no more.
	Next(ctx context.Context) (*engine.Snapshot, error)
	// Want says what is looked at. It does not block.
	Want(f engine.Focus)
	// Ask answers one question; it blocks until answered or ctx ends.
	Ask(ctx context.Context, q enginepage.Question) enginepage.Answer
	// Do sends one confirmed Intent; it blocks until the outcome is known.
	Do(ctx context.Context, i act.Intent) act.Outcome
}

// Choice is an argument that a command of the command line can take.
type Choice = palette.Choice

// Event is what a notification reports.
type Event = notify.Event

// Execution runs the program of a notification.
type Execution = notify.Execution

// OwnTheme is a theme of the configuration.
type OwnTheme = theme.Own

// Switch is another hub or another namespace to show.
type Switch struct {
	// Context is the kubeconfig context; empty for the present one.
	Context string
	// Namespace is that of the namespaced runs, empty for all; InNamespace is set to take it.
	Namespace   string
	InNamespace bool
	// Reopen is set for the same hubs, with the configuration as it is now: it may name other
	// hubs for the list. LogIn is set, too, when a person logs in again. Run is the run to
	// open; empty for none.
	Reopen, LogIn bool
	Run           string
}

// Options are what a screen starts with. The zero Options are usable.
type Options struct {
	// Start is a run to open as soon as it is listed.
	Start runref.Ref
	// Scope is where the runs that :open names are looked up.
	Scope runref.Scope
	// Hubs are kubeconfig contexts that may be hubs, to name where this one is none.
	Hubs []engine.Text
	// Contexts are those that :ctx lists.
	Contexts []Choice
	// Namespaces are those of the hub, as far as they were read; nil where the runs name all.
	Namespaces func() []engine.Text
	// Switch prepares another screen, which opens when this one has ended, and returns why
	// that is not possible; nil where there is no other.
	Switch func(Switch) engine.Text
	// Notice is shown at the start: why the screen before this one is not shown, or why this one
	// follows it.
	Notice engine.Text
	// Change is the configuration at the start; Changes waits for the next change, and returns
	// false when ctx has ended. It may be nil.
	Change
	Changes func(ctx context.Context) (Change, bool)
	// View is the view to start with. Viewed is called when another one is shown; empty for none.
	View   string
	Viewed func(name string)
	// Now is the local time at the start; ticks carry it on.
	Now time.Time
	// ASCII draws with ASCII characters only, for terminals that are not UTF-8.
	ASCII bool
	// BellOnly leaves out the notification of the desktop, for terminals that would print it.
	BellOnly bool
	// Hook runs the program of the configuration for a notification; nil for none. Log takes
	// what goes wrong with it.
	Hook notify.Hook
	Log  func(engine.Text)
	// Dark overrides what the terminal says about its background.
	Dark *bool
}
