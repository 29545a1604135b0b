package watch

import (
	"context"
	"errors"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// Do sends the write request of a confirmed Intent. After a conflict it sends a
// second one if everything that was shown still holds; a request whose answer was
// lost is never sent again (docs/architecture.md#writes). Do returns the outcome,
// which may be unknown. ctx ends the request, not the reads that determine the
// outcome.
func (s *Session) Do(ctx context.Context, i act.Intent) act.Outcome {
	s.writing.Lock() // one act at a time: the second sees what the first has done
	defer s.writing.Unlock()
	if i.Act == engine.ActRaise {
		v := s.raise(i)
		return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: s.hubNow()}
	}
	v := s.writable(i)
	if v.what.IsZero() {
		v = s.recorded(i, func() verdict { return s.writer(ctx, i).carryOut() })
	}
	return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: s.hubNow(), Made: v.made, Fault: v.fault()}
}

// writable refuses what must not be sent at all; the zero verdict refuses
// nothing. No writer is made for what it refuses.
func (s *Session) writable(i act.Intent) verdict {
	switch set := s.settings(time.Now()); {
	case !set.ReadOnly.IsZero():
		return refused(set.ReadOnly, engine.Text{})
	case set.Protected && !i.Protected:
		return refused(engine.Lit("the context is protected again and was not confirmed by name; nothing was sent"), engine.Lit("open the dialog again"))
	case i.Target.IsZero():
		return refused(engine.Lit("nothing to do: the intent names no object"), engine.Text{})
	}
	return verdict{}
}

func (s *Session) writer(ctx context.Context, i act.Intent) *write {
	return &write{ctx: ctx, client: s.hub, intent: i, user: s.who(), now: s.hubNow, patience: s.patience.usual()}
}

// hubNow is the present by the hub's clock.
func (s *Session) hubNow() time.Time { return time.Now().Add(s.hub.skew.offset()) }

// carryOut sends what the intent says.
func (w *write) carryOut() verdict {
	switch i := w.intent; {
	case i.Act == engine.ActApprove:
		return w.approve()
	case (i.Act == engine.ActRun || i.Act == engine.ActStop) && i.WantState() != "":
		return w.state()
	case i.Act == engine.ActClone:
		return w.clone()
	case i.Act == engine.ActDelete:
		return w.remove()
	}
	return refused(engine.Lit("this is not something that can be sent"), engine.Text{})
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
	result     act.Result
	what, hint engine.Text
	made       engine.ID   // the run that a clone created
	kind       failureKind // of the answer that refused it
	conflict   bool        // it was refused because the object had changed
}

// fault sorts what kept a write from being carried out.
func (v verdict) fault() act.Fault {
	switch v.kind {
	case failForbidden, failUnauthenticated:
		return act.FaultDenied
	case failNotFound:
		return act.FaultGone
	case failUnreachable:
		return act.FaultUnreachable
	}
	return act.FaultNone
}

// isGone refuses because what the write is about does not exist any more.
func isGone(what engine.Text) verdict {
	v := refused(what, engine.Text{})
	v.kind = failNotFound
	return v
}

func refused(what, hint engine.Text) verdict {
	return verdict{result: act.ResultRefused, what: what, hint: hint}
}

// write carries one Intent out.
type write struct {
	ctx    context.Context
	client *client
	intent act.Intent
	user   string
	now    func() time.Time // the hub's time
	patience
	// rehearsal asks the hub to judge the request and to store nothing.
	rehearsal bool
	// held is the resourceVersion that the request holds on to, empty when it
	// creates: once the object has another one, the request can have no effect
	// any more.
	held string
}

// read reads an object that an ID names, whole.
func (w *write) read(ctx context.Context, id engine.ID) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, w.reading)
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
	ctx, cancel := context.WithTimeout(w.ctx, w.sending)
	defer cancel()
	if w.rehearsal {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	raw, err := answer(r.Do(ctx))
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
		return refused(engine.Textf("%s was deleted and created again; nothing was written", id.Title()),
			engine.Lit("check the new one, then decide again")), false
	case o.GetDeletionTimestamp() != nil:
		return refused(engine.Textf("%s is being deleted; nothing was written", id.Title()), engine.Text{}), false
	}
	return verdict{}, true
}

// lost reports whether a request may have been carried out although there is no
// answer that says so.
func lost(err error) bool {
	if errors.Is(err, errLoginHangs) {
		return true // it may have been asked because of the hub's answer
	}
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
func (w *write) refusal(err error, right engine.Text) (v verdict) {
	f := sortError(err, w.client.server)
	v = refused(engine.Textf("the API server rejected the request: %s", f.err), f.hint)
	defer func() { v.kind, v.conflict = f.kind, apierrors.IsConflict(err) }()
	switch f.kind {
	case failUnreachable:
		v = verdict{
			result: act.ResultNotApplied, hint: f.hint,
			what: engine.Textf("the hub is unreachable; nothing was written: %s", f.err),
		}
	case failUnauthenticated:
		v.what = engine.Textf("unauthorized (401): %s", f.err)
	case failForbidden:
		v.what = engine.Textf("you may not do this (403): %s", f.err)
		v.hint = engine.Textf("this needs permission to %s", right)
	case failNotFound:
		v.what = engine.Textf("%s does not exist; nothing was written", w.intent.Target.Title())
		v.hint = engine.Text{}
	case failBusy:
		v.what = engine.Textf("too many requests (429); nothing was written")
		if s, ok := apierrors.SuggestsClientDelay(err); ok {
			v.hint = engine.Textf("retry after %d s", s)
		}
	case failRefused:
		if apierrors.IsConflict(err) {
			v.what = engine.Textf("conflict (409): %s changed twice during the write; nothing was written", w.intent.Target.Title())
			v.hint = engine.Lit("check it and repeat")
		}
	}
	return v
}
