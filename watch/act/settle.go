package act

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Deadlines is how long a write waits for what.
type Deadlines struct {
	// sending and reading bound one request.
	Sending, Reading time.Duration
	// Reread is how long an unknown outcome is looked into.
	Reread time.Duration
	// Again is the first pause between two looks: a request whose answer was
	// lost may still be on its way inside the hub. The pauses double.
	Again time.Duration
}

// usual fills in what is zero.
func (p Deadlines) usual() Deadlines {
	return Deadlines{
		Sending: cmp.Or(p.Sending, 10*time.Second),
		Reading: cmp.Or(p.Reading, client.Deadline),
		Reread:  cmp.Or(p.Reread, 10*time.Second),
		Again:   cmp.Or(p.Again, 500*time.Millisecond),
	}
}

const (
	// looksAfterCut is how often a request is looked for whose connection broke:
	// what arrived by then is carried out at once.
	looksAfterCut = 2
	// looksAfterSilence is the same for one that was not answered in time:
	// something on the way may hold it and still pass it on.
	looksAfterSilence = 4
)

// judge decides from a re-read whether a request whose answer was lost was
// carried out. The Text is the reason when that is unknown, and what has happened
// to the object since when it was. The object is nil when it does not exist.
type judge func(ctx context.Context, o *unstructured.Unstructured) (act.Result, engine.Text)

// onTarget judges by whether the object that was seen shows the change.
func (w *write) onTarget(done func(*unstructured.Unstructured) bool) judge {
	id := w.intent.Target
	return func(_ context.Context, o *unstructured.Unstructured) (act.Result, engine.Text) {
		if o == nil {
			return act.ResultUnknown, engine.Textf("%s was deleted", id.Title())
		}
		if _, ok := same(o, id); !ok {
			return act.ResultUnknown, engine.Textf("%s is now another object", id.Title())
		}
		if done(o) {
			return act.ResultApplied, engine.Text{}
		}
		return act.ResultNotApplied, engine.Text{}
	}
}

// noAnswer is why it is not known what became of a request.
func noAnswer(f client.Failure) engine.Text {
	switch {
	case f.Kind == client.ServerError:
		return engine.Textf("the API server returned an error (%s)", f.Err)
	case strings.HasPrefix(f.Err.String(), "no answer"):
		return f.Err
	}
	return engine.Textf("no answer (%s)", f.Err)
}

// settle finds out what became of a request whose answer was lost.
func (w *write) settle(cause error, look judge) verdict {
	why := noAnswer(w.client.Failure(cause))
	if w.rehearsal {
		return verdict{result: act.ResultUnknown, what: why}
	}
	// The person may have left already; whether the write arrived still matters.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), w.Reread)
	defer cancel()
	left := looksAfterCut
	if errors.Is(cause, context.DeadlineExceeded) {
		left = looksAfterSilence
	}
	for pause := w.Again; ; pause *= 2 {
		o, err := w.read(ctx, w.intent.Target)
		if client.IsMissing(err, w.intent.Target.RawName()) {
			o, err = nil, nil
		}
		if err == nil {
			left--
			result, reason := look(ctx, o)
			switch {
			case result == act.ResultApplied:
				v := verdict{result: result, what: engine.Textf("%s, but it was applied", why)}
				if !reason.IsZero() {
					v.what = engine.Textf("%s; %s", v.what, reason)
					v.hint = engine.Lit("check the current state before you repeat it")
				}
				return v
			case result == act.ResultUnknown:
				return verdict{
					result: result, what: engine.Textf("%s, and %s", why, reason),
					hint: engine.Lit("check the current state before you repeat it"),
				}
			case w.held != "" && o != nil && o.GetResourceVersion() != w.held:
				return verdict{
					result: act.ResultNotApplied,
					what:   engine.Textf("%s; the request cannot take effect later, because the object has changed since", why),
					hint:   engine.Lit("check its current state before you repeat it"),
				}
			case left == 0:
				return verdict{
					result: act.ResultNotApplied,
					what:   why,
					hint:   engine.Lit("the request may still arrive: check the current state before you repeat it"),
				}
			}
		}
		if !client.Sleep(ctx, pause) {
			return verdict{
				result: act.ResultUnknown,
				what:   engine.Textf("%s, and the outcome could not be read", why),
				hint:   engine.Lit("check the object when the hub is reachable, before you repeat it"),
			}
		}
	}
}
