package act

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// pending is the act under way: its request may have been sent.
type pending struct {
	record Record
	intent act.Intent
	done   chan struct{} // closed when its outcome is recorded
}

// begin notes the act under way; the function that it returns ends it.
func (x *Executor) begin(r Record, i act.Intent) (end func()) {
	p := &pending{record: r, intent: i, done: make(chan struct{})}
	x.pending.Store(p)
	return func() {
		x.pending.CompareAndSwap(p, nil)
		close(p.done)
	}
}

// Leave waits for the act under way, at most for a while, since the process is about to
// end. If the outcome is not known then, it is recorded as unknown, and the Text says so,
// with the command that shows it.
func (x *Executor) Leave(wait time.Duration) engine.Text {
	p := x.pending.Load()
	if p == nil {
		return engine.Text{}
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	select {
	case <-p.done:
		return engine.Text{}
	case <-limit.C:
	}
	select {
	case <-p.done: // both were ready
		return engine.Text{}
	default:
	}
	r := p.record
	r.Time, r.Result, r.Message = time.Now().UTC(), act.ResultUnknown.String(), "stagewatch ended before the answer"
	target := p.intent.Target
	ns, name, _ := target.Raw()
	look := engine.Kubectl(x.Named, ns, "get", target.Kind().Plural(), name, "-o", "yaml")
	said := engine.Textf("%s %s: outcome unknown, stagewatch ended before the answer; find out with: %s", p.intent.Act, target.Title(), look)
	if x.Audit == nil {
		return said
	}
	if err := x.Audit(r); err != nil {
		return engine.Textf("%s (the audit log could not be written: %s)", said, engine.Clean(err.Error()))
	}
	return said
}
