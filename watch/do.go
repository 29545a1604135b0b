package watch

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// executorConfig says for whom and where an executor acts.
type executorConfig struct {
	hub *client
	// context is the kubeconfig's name of the hub, for the audit log.
	context string
	// configured are the settings without what a person has permitted for a while.
	configured engine.Settings
	// user is the person as the hub knows them.
	user func() string
	// audit, when not nil, is given a Record before every write and one after.
	audit func(Record) error
	// learned gets every answer about a right, raised the time until which blocked
	// writes are permitted.
	learned func(engine.Right, engine.Grant)
	raised  func(until time.Time)
	// plan plans a run that does not exist yet.
	plan func(context.Context, *placement.StagedUpdateRun) engine.Plan
	patience
}

// executor carries out confirmed Intents, one at a time.
type executor struct {
	executorConfig
	// writing is held by the one Do that is under way.
	writing sync.Mutex
	lifted  lifted
}

func newExecutor(c executorConfig) *executor {
	c.patience = c.usual()
	return &executor{executorConfig: c}
}

// do sends the write request of a confirmed Intent. After a conflict it sends a
// second one if everything that was shown still holds; a request whose answer was
// lost is never sent again (docs/architecture.md#writes). do returns the outcome,
// which may be unknown. ctx ends the request, not the reads that determine the
// outcome.
func (x *executor) do(ctx context.Context, i act.Intent) act.Outcome {
	x.writing.Lock() // one act at a time: the second sees what the first has done
	defer x.writing.Unlock()
	if i.Act == engine.ActRaise {
		v := x.raise(i)
		return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: x.hub.now()}
	}
	v := x.writable(i)
	if v.what.IsZero() {
		v = x.recorded(i, func() verdict { return x.writer(ctx, i).carryOut() })
	}
	return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: x.hub.now(), Made: v.made, Fault: v.fault()}
}

// writable refuses what must not be sent at all; the zero verdict refuses
// nothing. No writer is made for what it refuses.
func (x *executor) writable(i act.Intent) verdict {
	switch set := x.settings(time.Now()); {
	case !set.ReadOnly.IsZero():
		return refused(set.ReadOnly, engine.Text{})
	case set.Protected && !i.Protected:
		return refused(engine.Lit("the context is protected again and was not confirmed by name; nothing was sent"), engine.Lit("open the dialog again"))
	case i.Target.IsZero():
		return refused(engine.Lit("nothing to do: the intent names no object"), engine.Text{})
	}
	return verdict{}
}

func (x *executor) writer(ctx context.Context, i act.Intent) *write {
	return &write{ctx: ctx, client: x.hub, intent: i, user: x.user(), now: x.hub.now, patience: x.patience}
}

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
	return w.client.read(ctx, id)
}

// send sends the one request that changes something.
func (w *write) send(r *rest.Request) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(w.ctx, w.sending)
	defer cancel()
	if w.rehearsal {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	raw, err := w.client.do(ctx, r)
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
	f := w.client.failure(err)
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
