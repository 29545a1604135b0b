package watch

import (
	"context"
	"errors"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	// writeDeadline bounds one request of a Do.
	writeDeadline = 10 * time.Second
	// rereadFor is how long an unknown outcome is looked into.
	rereadFor = 10 * time.Second
	// rereadAgain is how long a request whose answer was lost may still be on
	// its way inside the hub.
	rereadAgain = 500 * time.Millisecond
)

// Do sends a confirmed Intent: one request that changes something, and one more
// only when the hub refused the first because the object had changed and
// everything the person was shown still holds. It never sends again what may
// have arrived (design 4). It returns when the outcome is known, or known to be
// unknown; ctx ends the request, not the look at what became of it.
func (s *Session) Do(ctx context.Context, i engine.Intent) engine.Outcome {
	s.writing.Lock() // one act at a time: the second sees what the first has done
	defer s.writing.Unlock()
	w := &write{ctx: ctx, client: s.hub, intent: i, user: s.who(), now: func() time.Time { return time.Now().Add(s.hub.skew.offset()) }}
	var v verdict
	switch {
	case !s.cfg.Settings.ReadOnly.IsZero():
		v = refused(s.cfg.Settings.ReadOnly, engine.Text{})
	case i.Target.IsZero():
		v = refused(engine.Lit("nothing to do: the intent names no object"), engine.Text{})
	case i.Act == engine.ActApprove:
		v = w.approve()
	case (i.Act == engine.ActRun || i.Act == engine.ActStop) && i.WantState() != "":
		v = w.state()
	default:
		v = refused(engine.Lit("this is not something that can be sent"), engine.Text{})
	}
	return engine.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: w.now()}
}

// who is the person as the hub knows them.
func (s *Session) who() string {
	if name := s.user.Load(); name != nil {
		return *name
	}
	return s.cfg.User
}

// verdict is what became of a write.
type verdict struct {
	result     engine.Result
	what, hint engine.Text
}

func refused(what, hint engine.Text) verdict {
	return verdict{result: engine.ResultRefused, what: what, hint: hint}
}

// write carries one Intent out.
type write struct {
	ctx    context.Context
	client *client
	intent engine.Intent
	user   string
	now    func() time.Time // the hub's time
}

// read reads an object that an ID names, whole.
func (w *write) read(ctx context.Context, id engine.ID) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, askDeadline)
	defer cancel()
	ns, name, _ := id.Raw()
	raw, err := answer(w.client.at(w.client.api.Get(), id.Kind(), ns, name).Do(ctx))
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(raw); err != nil {
		return nil, errors.Join(errNoJSON, err)
	}
	return o, nil
}

// send sends the one request that changes something.
func (w *write) send(r *rest.Request) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(w.ctx, writeDeadline)
	defer cancel()
	// client-go would send again by itself when the hub answers 429.
	raw, err := answer(r.MaxRetries(0).Do(ctx))
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(raw); err != nil {
		return nil, errors.Join(errNoJSON, err)
	}
	return o, nil
}

// same refuses when an object is not the one that the person saw.
func same(o *unstructured.Unstructured, id engine.ID) (verdict, bool) {
	_, _, uid := id.Raw()
	switch {
	case o.GetUID() != types.UID(uid):
		return refused(engine.Textf("%s was deleted and made again since you looked; nothing was written", id.Title()),
			engine.Lit("look at the new one, then decide again")), false
	case o.GetDeletionTimestamp() != nil:
		return refused(engine.Textf("%s is being deleted; nothing was written", id.Title()), engine.Text{}), false
	}
	return verdict{}, true
}

// lost reports whether a request may have been carried out although there is no
// answer that says so.
func lost(err error) bool {
	switch kindOf(err) {
	case failUnreachable:
		var op *net.OpError
		return !errors.As(err, &op) || op.Op != "dial" // not dialled, not sent
	case failServer, failBroken:
		return true
	}
	return false
}

// refusal puts an error that is an answer into words.
func (w *write) refusal(err error, right engine.Text) verdict {
	f := sortError(err, w.client.server)
	v := refused(engine.Textf("the hub refused: %s", f.err), f.hint)
	switch f.kind {
	case failUnreachable:
		v = verdict{
			result: engine.ResultNotApplied, hint: f.hint,
			what: engine.Textf("the hub was not reached, nothing was written: %s", f.err),
		}
	case failUnauthenticated:
		v.what = engine.Textf("the hub does not know who you are (401): %s", f.err)
	case failForbidden:
		v.what = engine.Textf("you may not do this (403): %s", f.err)
		v.hint = engine.Textf("this needs the right to %s", right)
	case failNotFound:
		v.what = engine.Textf("%s is gone; nothing was written", w.intent.Target.Title())
		v.hint = engine.Text{}
	case failBusy:
		v.what = engine.Textf("the hub is too busy to take it now (429); nothing was written")
		if s, ok := apierrors.SuggestsClientDelay(err); ok {
			v.hint = engine.Textf("it asks to wait %d s before the next try", s)
		}
	case failRefused:
		if apierrors.IsConflict(err) {
			v.what = engine.Textf("%s changes too fast: the hub refused twice because it had changed; nothing was written", w.intent.Target.Title())
			v.hint = engine.Lit("look again and repeat")
		}
	}
	return v
}

// settle finds out what became of a request whose answer was lost. done says
// whether an object shows that it was carried out.
func (w *write) settle(cause error, done func(*unstructured.Unstructured) bool) verdict {
	// The person may have left already; whether the write arrived still matters.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), rereadFor)
	defer cancel()
	why := sortError(cause, w.client.server).err
	id := w.intent.Target
	read := 0
	for pause := rereadAgain; ; pause *= 2 {
		o, err := w.read(ctx, id)
		switch {
		case err == nil:
			if _, ok := same(o, id); !ok {
				return verdict{
					result: engine.ResultUnknown,
					what:   engine.Textf("no answer came (%s), and %s is not the same object any more", why, id.Title()),
					hint:   engine.Lit("look at the new one before you do it again"),
				}
			}
			if done(o) {
				return verdict{result: engine.ResultApplied, what: engine.Textf("no answer came (%s), but the hub did it", why)}
			}
			if read++; read > 1 {
				return verdict{
					result: engine.ResultNotApplied,
					what:   engine.Textf("no answer came (%s), and the hub has not done it", why),
					hint:   engine.Lit("it was not sent again; repeat it if you still want it"),
				}
			}
		case apierrors.IsNotFound(err):
			return verdict{result: engine.ResultUnknown, what: engine.Textf("no answer came (%s), and %s is gone", why, id.Title())}
		}
		if !sleep(ctx, pause) {
			return verdict{
				result: engine.ResultUnknown,
				what:   engine.Textf("no answer came (%s), and the hub could not be asked what became of it", why),
				hint:   engine.Lit("look at the object when the hub is back, before you do it again"),
			}
		}
	}
}
