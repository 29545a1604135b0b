package notify

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

const (
	// atOnce is how many programs run at the same time.
	atOnce = 2
	// mostWaiting is how many notifications wait for their program: one for each run of a
	// large hub.
	mostWaiting = 500
)

// Hook prepares the program of Means.Exec for one event of the Snapshot.
type Hook func(s *engine.Snapshot, e Event) Execution

// Execution runs a program. It blocks until the program has ended, for a limited time.
type Execution func(ctx context.Context, program []string) error

// HookMsg is how the hook ended.
type HookMsg struct{ err error }

// queue runs the hook for events, a few at a time. Of those that wait it drops the oldest when
// there are too many.
func (n *Notifier) queue(news []Event) []tea.Cmd {
	if n.hook == nil || len(n.means.Exec) == 0 {
		return nil
	}
	for _, e := range news {
		n.waiting = append(n.waiting, n.hook(n.scene.Snap, e))
	}
	cmds := n.execute()
	if more := len(n.waiting) - mostWaiting; more > 0 {
		n.waiting = append([]Execution(nil), n.waiting[more:]...)
		n.dropped += more
		n.log(dropped(more))
	}
	return cmds
}

// dropped says how many notifications were dropped.
func dropped(count int) engine.Text {
	return engine.Textf("%s dropped: the notification program is too slow", engine.Count(count, "notification"))
}

// execute starts what waits as far as there is room.
func (n *Notifier) execute() (cmds []tea.Cmd) {
	for ; n.running < atOnce && len(n.waiting) > 0; n.running++ {
		ctx, run, program := n.ctx, n.waiting[0], n.means.Exec
		n.waiting = n.waiting[1:]
		cmds = append(cmds, func() tea.Msg { return HookMsg{run(ctx, program)} })
	}
	if len(n.waiting) == 0 {
		n.dropped = 0
	}
	return cmds
}

// OnHook shows the error of the hook, once until it has succeeded again, and runs it for what
// waits.
func (n *Notifier) OnHook(msg HookMsg) tea.Cmd {
	if msg.err != nil && n.ctx.Err() == nil {
		x := engine.Textf("The notification program failed: %s", engine.Clean(msg.err.Error()))
		n.log(x)
		if !n.failed {
			n.scene.Say(theme.Bad, x)
		}
	}
	n.failed = msg.err != nil
	n.running--
	return tea.Batch(n.execute()...)
}
