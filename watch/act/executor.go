package act

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Config says for whom and where an executor acts.
type Config struct {
	Hub *client.Client
	// Context is the kubeconfig's name of the hub, for the audit log; Named is the hub for
	// kubectl commands.
	Context string
	Named   engine.Hub
	// Configured are the settings at the start, without what a person has permitted for a while.
	Configured engine.Settings
	// User is the person as the hub knows them.
	User func() string
	// Audit, when not nil, is given a Record before every write and one after.
	Audit func(Record) error
	// Learned gets every answer about a right, raised the time until which blocked
	// writes are permitted.
	Learned func(engine.Right, engine.Grant)
	Raised  func(until time.Time)
	// Plan plans a run that does not exist yet.
	Plan func(context.Context, *placement.StagedUpdateRun) plan.Plan
	Deadlines
}

// Executor carries out confirmed Intents, one at a time.
type Executor struct {
	Config
	// writing is held by the one Do that is under way.
	writing sync.Mutex
	// pending is nil while no act is under way.
	pending atomic.Pointer[pending]
	// leaving is set by Leave: nothing is sent any more.
	leaving atomic.Bool
	lifted  lifted
	// restriction is what Restrict has set; nil: Configured.
	restriction atomic.Pointer[engine.Settings]
}

// NewExecutor returns an Executor; deadlines that are zero get their defaults.
func NewExecutor(c Config) *Executor {
	c.Deadlines = c.usual()
	return &Executor{Config: c}
}

// Do sends the write request of a confirmed Intent. After a conflict it sends a
// second one if everything that was shown still holds; a request whose answer was
// lost is never sent again (docs/architecture.md#writes). do returns the outcome,
// which may be unknown. ctx ends the request, not the reads that determine the
// outcome.
func (x *Executor) Do(ctx context.Context, i act.Intent) act.Outcome {
	x.writing.Lock() // one act at a time: the second sees what the first has done
	defer x.writing.Unlock()
	if i.Act == engine.ActRaise {
		v := x.raise(i)
		return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: x.Hub.Now()}
	}
	v := x.writable(i)
	if v.what.IsZero() {
		v = x.recorded(i, func(p *pending) verdict {
			w := x.writer(ctx, i)
			w.pending = p
			return w.carryOut()
		})
	}
	return act.Outcome{Intent: i, Result: v.result, What: v.what, Hint: v.hint, At: x.Hub.Now(), Made: v.made, Fault: v.fault()}
}

// writable refuses what must not be sent at all; the zero verdict refuses
// nothing. No writer is made for what it refuses.
func (x *Executor) writable(i act.Intent) verdict {
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

func (x *Executor) writer(ctx context.Context, i act.Intent) *write {
	return &write{ctx: ctx, client: x.Hub, intent: i, user: x.User(), now: x.Hub.Now, Deadlines: x.Deadlines}
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
	made       engine.ID          // the run that a clone created
	kind       client.FailureKind // of the answer that refused it
	conflict   bool               // it was refused because the object had changed
}

// fault sorts what kept a write from being carried out.
func (v verdict) fault() act.Fault {
	switch v.kind {
	case client.Forbidden, client.Unauthenticated:
		return act.FaultDenied
	case client.Missing:
		return act.FaultGone
	case client.Unreachable:
		return act.FaultUnreachable
	}
	return act.FaultNone
}

// isGone refuses because what the write is about no longer exists.
func isGone(what engine.Text) verdict {
	v := refused(what, engine.Text{})
	v.kind = client.Missing
	return v
}

func refused(what, hint engine.Text) verdict {
	return verdict{result: act.ResultRefused, what: what, hint: hint}
}

// write carries one Intent out.
type write struct {
	ctx    context.Context
	client *client.Client
	intent act.Intent
	user   string
	now    func() time.Time // the hub's time
	Deadlines
	// rehearsal asks the hub to judge the request and to store nothing.
	rehearsal bool
	// pending decides whether the request is sent; nil for a rehearsal.
	pending *pending
	// held is the resourceVersion that the request holds on to, empty when it
	// creates: once the object has another one, the request can have no effect
	// any more.
	held string
}

// read reads an object that an ID names, whole.
func (w *write) read(ctx context.Context, id engine.ID) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, w.Reading)
	defer cancel()
	return w.client.Read(ctx, id)
}

// send sends the one request that changes something.
func (w *write) send(r *rest.Request) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(w.ctx, w.Sending)
	defer cancel()
	if w.pending != nil && !w.pending.sends() {
		return nil, errAbandoned
	}
	if w.rehearsal {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	raw, err := w.client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return client.Decode(raw)
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
	if errors.Is(err, errAbandoned) {
		return false
	}
	if errors.Is(err, client.ErrLoginHangs) {
		return true // it may have been asked because of the hub's answer
	}
	switch client.KindOf(err) {
	case client.Unreachable:
		var op *net.OpError
		return !errors.As(err, &op) || op.Op != "dial" // not dialled, not sent
	case client.ServerError, client.Unreadable:
		return true
	}
	return false
}

// refusal puts an error that is an answer into words.
func (w *write) refusal(err error, right engine.Text) (v verdict) {
	f := w.client.Failure(err)
	v = refused(engine.Textf("the API server rejected the request: %s", f.Err), f.Hint)
	defer func() { v.kind, v.conflict = f.Kind, apierrors.IsConflict(err) }()
	switch f.Kind {
	case client.Unreachable:
		v = verdict{
			result: act.ResultNotApplied, hint: f.Hint,
			what: engine.Textf("the hub is unreachable; nothing was written: %s", f.Err),
		}
	case client.Unauthenticated:
		v.what = engine.Textf("unauthorized (401): %s", f.Err)
	case client.Forbidden:
		v.what = engine.Textf("you may not do this (403): %s", f.Err)
		v.hint = engine.Textf("this needs permission to %s", right)
	case client.Missing:
		if client.IsMissing(err, w.intent.Target.RawName()) {
			v.what = engine.Textf("%s does not exist; nothing was written", w.intent.Target.Title())
			v.hint = engine.Text{}
		}
	case client.Busy:
		v.what = engine.Textf("too many requests (429); nothing was written")
		if s, ok := apierrors.SuggestsClientDelay(err); ok {
			v.hint = engine.Textf("retry after %d s", s)
		}
	case client.Rejected:
		if apierrors.IsConflict(err) {
			v.what = engine.Textf("conflict (409): %s changed twice during the write; nothing was written", w.intent.Target.Title())
			v.hint = engine.Lit("check it and repeat")
		}
	}
	return v
}
