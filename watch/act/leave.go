package act

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// pending is the act under way.
type pending struct {
	record Record
	intent act.Intent
	stage  atomic.Int32  // one of those below
	done   chan struct{} // closed when its outcome is recorded
}

// The stages of an act: it reads, its request may have arrived, or it sends nothing any more.
const (
	stageReading int32 = iota
	stageSent
	stageAbandoned
)

// errAbandoned is why a request was not sent: the process ends.
var errAbandoned = errors.New("stagewatch ended before the request; nothing was sent")

// sends reports whether a request may be sent, and notes that it is.
func (p *pending) sends() bool {
	return p.stage.CompareAndSwap(stageReading, stageSent) || p.stage.Load() == stageSent
}

// abandon keeps an act from sending its request; it is too late when abandon returns false.
func (p *pending) abandon() bool { return p.stage.CompareAndSwap(stageReading, stageAbandoned) }

// begin notes the act under way; the function that it returns ends it.
func (x *Executor) begin(r Record, i act.Intent) (p *pending, end func()) {
	p = &pending{record: r, intent: i, done: make(chan struct{})}
	x.pending.Store(p)
	return p, func() {
		x.pending.CompareAndSwap(p, nil)
		close(p.done)
	}
}

// Leave ends an act that has not sent its request, and waits for one that has, at most for a
// while, since the process is about to end: nothing is sent after it. If the outcome is not
// known then, it is recorded as unknown. The Text says what became of the act, and the command
// that shows an unknown outcome; it is empty when no act is under way or the act has ended.
func (x *Executor) Leave(wait time.Duration) engine.Text {
	x.leaving.Store(true)
	p := x.pending.Load()
	if p == nil {
		return engine.Text{}
	}
	target := p.intent.Target
	if p.abandon() {
		return x.left(p, act.ResultNotApplied, engine.Textf("%s %s: interrupted; nothing was sent", p.intent.Act, target.Title()), errAbandoned.Error())
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
	ns, name, _ := target.Raw()
	look := shell.Kubectl(x.Named, ns, "get", target.Kind().Plural(), name, "-o", "yaml")
	return x.left(p, act.ResultUnknown,
		engine.Textf("%s %s: outcome unknown, stagewatch ended before the answer; find out with: %s", p.intent.Act, target.Title(), look), "stagewatch ended before the answer")
}

// left records the outcome of an act that the process does not wait for, and returns the text.
func (x *Executor) left(p *pending, result act.Result, text engine.Text, message string) engine.Text {
	if x.Audit == nil {
		return text
	}
	r := p.record
	r.Time, r.Result, r.Message = time.Now().UTC(), auditResult(result), message
	if err := x.Audit(r); err != nil {
		return engine.Textf("%s (the audit log could not be written: %s)", text, engine.Clean(err.Error()))
	}
	return text
}
