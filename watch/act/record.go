package act

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// Record is one line of the audit: what was about to be sent, or what became of
// it. It holds no secrets: no token, no header, no body.
type Record struct {
	Time    time.Time `json:"time"` // UTC, by this machine's clock
	Context string    `json:"context"`
	// Hub is the name of the hub as in the IDs of its objects: the context, or the
	// server if there is none.
	Hub    string `json:"hub"`
	Server string `json:"server"`
	User   string `json:"user"`
	Action string `json:"action"`
	// Run is acted on; Target is the object that is written. When writes are
	// lifted for a while, there is no Run, and Target is the context.
	Run    RecordObject `json:"run,omitzero"`
	Target RecordObject `json:"target"`
	// Before and After are what the act changes, as seen and as wanted.
	Before string `json:"before"`
	After  string `json:"after"`
	Note   string `json:"note,omitempty"`
	// Kubectl is the equivalent kubectl command.
	Kubectl string `json:"kubectl,omitempty"`
	// Result is "sending" in the line before the request, then the outcome.
	Result  string `json:"result"`
	Message string `json:"message,omitempty"`
	// CreatedUID is the UID of the run that a clone created.
	CreatedUID string `json:"createdUID,omitempty"`
}

// RecordObject names an object.
type RecordObject struct {
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
	Generation int64  `json:"generation,omitempty"`
}

// sending is the Result of the line that is written before the request.
const sending = "sending"

// recorded sends with a line in the audit before and after. What cannot be
// recorded is not sent.
func (x *Executor) recorded(i act.Intent, send func(*pending) verdict) verdict {
	r := x.record(i)
	r.Result = sending
	if x.Audit != nil {
		if err := x.Audit(r); err != nil {
			return refused(engine.Textf("the audit log cannot be written: %s; nothing was sent", engine.Clean(err.Error())), engine.Text{})
		}
	}
	p, end := x.begin(r, i)
	defer end()
	v := verdict{result: act.ResultNotApplied, what: engine.Lit("interrupted; nothing was sent")}
	if !x.leaving.Load() {
		v = send(p)
	}
	if x.Audit == nil || p.stage.Load() == stageAbandoned { // Leave has recorded it
		return v
	}
	r.Time, r.Result, r.Message = time.Now().UTC(), auditResult(v.result), v.what.String()
	_, _, r.CreatedUID = v.made.Raw()
	if err := x.Audit(r); err != nil {
		v.hint = engine.Textf("the audit log could not be written: %s", engine.Clean(err.Error()))
	}
	return v
}

// auditResult is a result as the audit log names it.
func auditResult(r act.Result) string { return strings.ReplaceAll(r.String(), " ", "-") }

func (x *Executor) record(i act.Intent) Record {
	_, generation, state := i.Seen()
	r := Record{
		Time: time.Now().UTC(), Context: x.Context, Hub: x.Hub.Name().Raw(), Server: x.Hub.Server(), User: x.User(), Action: i.Act.String(),
		Run: recordOf(i.Run), Target: recordOf(i.Target), Note: i.Message.String(), Kubectl: i.Kubectl.String(),
	}
	switch i.Act {
	case engine.ActApprove:
		r.Target.Generation = generation
		r.Before, r.After = "open", "Approved"
		if i.Repair() {
			r.Before = "approved for another generation"
		}
	case engine.ActRun, engine.ActStop:
		r.Run.Generation, r.Target.Generation = generation, generation
		r.Before, r.After = "state "+state, "state "+i.WantState()
	case engine.ActClone:
		r.Run.Generation = generation
		r.Before, r.After = "none", "created in state "+i.WantState()
	case engine.ActDelete:
		r.Run.Generation, r.Target.Generation = generation, generation
		r.Before, r.After = "state "+state, "deleted"
	case engine.ActRaise:
		r.Run, r.Target = RecordObject{}, RecordObject{Kind: "Context", Name: x.Context}
		r.Before, r.After = x.blockedAs(), "lifted for "+i.Raise().String()
		if i.Raise() == 0 {
			r.After = "blocked"
		}
	case engine.ActNone:
	}
	return r
}

func recordOf(id engine.ID) RecordObject {
	ns, name, uid := id.Raw()
	return RecordObject{Kind: id.Kind().String(), Namespace: ns, Name: name, UID: uid}
}
