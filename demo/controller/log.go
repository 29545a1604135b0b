package controller

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// How much of the log is kept: lines of each run about what was written or
// failed, lines about passes that wrote nothing, and runs.
const (
	keptLines  = 150
	keptPasses = 40
	keptRuns   = 400
)

// Log is the log of the hub's rollout controller, in the text form of
// klog and with the keys of the upstream controller (pkg/controllers/updaterun).
// What a pass really requested and got stands in it.
type Log struct {
	mu    sync.Mutex
	count uint64
	runs  map[store.Key]*runLines
}

// runLines are the lines of one run, oldest first.
type runLines struct{ lines, passes []logLine }

type logLine struct {
	number uint64
	text   string
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{runs: map[store.Key]*runLines{}} }

// put keeps a line of a run; pass says that it is only about the pass itself.
func (l *Log) put(k store.Key, pass bool, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[k]
	if r == nil {
		l.makeRoom()
		r = &runLines{}
		l.runs[k] = r
	}
	l.count++
	into, most := &r.lines, keptLines
	if pass {
		into, most = &r.passes, keptPasses
	}
	*into = append(*into, logLine{l.count, text})
	if extra := len(*into) - most; extra > 0 {
		*into = slices.Delete(*into, 0, extra)
	}
}

// makeRoom forgets the run that was not logged about for the longest time.
func (l *Log) makeRoom() {
	if len(l.runs) < keptRuns {
		return
	}
	latest := func(r *runLines) uint64 {
		var n uint64
		for _, list := range [][]logLine{r.lines, r.passes} {
			if len(list) > 0 {
				n = max(n, list[len(list)-1].number)
			}
		}
		return n
	}
	delete(l.runs, slices.MinFunc(slices.Collect(maps.Keys(l.runs)), func(a, b store.Key) int {
		return int(latest(l.runs[a])) - int(latest(l.runs[b]))
	}))
}

// Text is the whole log, in the order in which it was written.
func (l *Log) Text() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []logLine
	for _, r := range l.runs {
		all = append(append(all, r.lines...), r.passes...)
	}
	slices.SortFunc(all, func(a, b logLine) int { return int(a.number) - int(b.number) })
	var out bytes.Buffer
	for _, line := range all {
		out.WriteString(line.text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// passLog logs one pass over a run; its methods do nothing when it is nil.
type passLog struct {
	log   *Log
	k     store.Key
	began time.Time
}

// begin logs that a pass begins.
func (l *Log) begin(k store.Key, now time.Time) *passLog {
	if l == nil {
		return nil
	}
	p := &passLog{log: l, k: k, began: now}
	p.say(now, true, 'I', "controller.go:97", "UpdateRun reconciliation starts", "updateRun", p.whole())
	return p
}

// whole is the run as the lines at the start and the end of a pass have it; short
// is how all others do: without a slash for a cluster run.
func (p *passLog) whole() string { return p.k.Namespace + "/" + p.k.Name }
func (p *passLog) short() string { return strings.TrimPrefix(p.whole(), "/") }

// say writes one line in the text form of klog.
func (p *passLog) say(now time.Time, pass bool, level byte, place, message string, pairs ...string) {
	var out strings.Builder
	fmt.Fprintf(&out, "%c%s       1 updaterun/%s] %q", level, now.UTC().Format("0102 15:04:05.000000"), place, message)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&out, " %s=%q", pairs[i], pairs[i+1])
		}
	}
	p.log.put(p.k, pass, out.String())
}

// did logs a request of the pass, before is the run as it was read.
func (p *passLog) did(now time.Time, effect pass.Effect, err error) {
	if p == nil {
		return
	}
	var pairs []string
	message, place := "", "controller.go:139"
	switch object := effect.Object.(type) {
	case *placement.StagedUpdateRun:
		message, pairs = aboutRun(effect.Op, object)
	case *placement.ResourceBinding:
		pairs, place = []string{"binding", object.Name, "cluster", object.Spec.TargetCluster}, "execution.go:163"
		message = map[pass.Op]string{
			pass.OpUpdateBinding: "Updated the binding of the cluster to the resource snapshot of the updateRun", pass.OpDeleteBinding: "Deleted the binding of the cluster",
			pass.OpWriteBindingStatus: "Updated the RolloutStarted condition of the binding",
		}[effect.Op]
	case *placement.ApprovalRequest:
		pairs, place = []string{"approvalRequest", object.Name, "stage", object.Spec.TargetStage}, "execution.go:512"
		message = map[pass.Op]string{
			pass.OpCreateApproval: "Created the approval request", pass.OpAcceptApproval: "The approval request has been approved and is accepted",
			pass.OpDeleteApprovals: "Deleted the approval requests of the updateRun",
		}[effect.Op]
	case *placement.ResourceSnapshot:
		pairs, place = []string{"resourceSnapshot", object.Name}, "initialization.go:402"
		message = map[pass.Op]string{
			pass.OpCreateSnapshot: "Created a resource snapshot", pass.OpUpdateSnapshot: "Updated a resource snapshot", pass.OpDeleteSnapshot: "Deleted a resource snapshot",
		}[effect.Op]
	}
	switch {
	case message == "" || message != "" && err != nil && effect.Op.Verb() == pass.Get:
	case err != nil:
		p.say(now, false, 'E', place, "Failed to "+effect.Op.String(), append([]string{"err", err.Error()}, append(pairs, "updateRun", p.short())...)...)
	default:
		p.say(now, false, 'I', place, message, append(pairs, "updateRun", p.short())...)
	}
}

// aboutRun is what a write of the run itself says.
func aboutRun(op pass.Op, run *placement.StagedUpdateRun) (message string, pairs []string) {
	pairs = []string{"state", string(run.Spec.State)}
	switch op {
	case pass.OpAddFinalizer:
		return "Added the finalizer to the updateRun", nil
	case pass.OpRemoveFinalizer:
		return "Removed the finalizer from the updateRun", nil
	}
	said := func(kind string) *metav1.Condition { return meta.FindStatusCondition(run.Status.Conditions, kind) }
	switch initialized, progressing, succeeded := said(placement.RunInitialized), said(placement.RunProgressing), said(placement.RunSucceeded); {
	case initialized != nil && initialized.Status == metav1.ConditionFalse:
		return "Failed to initialize the updateRun", append(pairs, "reason", initialized.Reason, "message", initialized.Message)
	case succeeded != nil && succeeded.Status == metav1.ConditionFalse:
		return "The updateRun has failed", append(pairs, "reason", succeeded.Reason, "message", succeeded.Message)
	case succeeded != nil:
		return "The updateRun is completed", pairs
	case progressing == nil:
		return "Initialized the updateRun", pairs
	default:
		return "Updated the status of the updateRun", append(pairs, "reason", progressing.Reason, "message", progressing.Message)
	}
}

// end logs that a pass has ended, and why it will be repeated. Errors that leave
// no condition show only here.
func (p *passLog) end(now time.Time, err error) {
	if p == nil {
		return
	}
	if err != nil {
		p.say(now, false, 'E', "controller.go:158", "Failed to reconcile the updateRun", "err", err.Error(), "updateRun", p.short())
	}
	p.say(now, true, 'I', "controller.go:101", "UpdateRun reconciliation ends", "updateRun", p.whole(), "latency", fmt.Sprint(now.Sub(p.began).Milliseconds()))
	if err != nil {
		kind, controller := placement.KindClusterStagedUpdateRun, "clusterstagedupdaterun-controller"
		object := fmt.Sprintf(`{"name":%q}`, p.k.Name)
		if p.k.Namespace != "" {
			kind, controller = placement.KindStagedUpdateRun, "stagedupdaterun-controller"
			object = fmt.Sprintf(`{"name":%q,"namespace":%q}`, p.k.Name, p.k.Namespace)
		}
		p.log.put(p.k, false, fmt.Sprintf("%s\tERROR\tReconciler error\t{\"controller\": %q, \"controllerGroup\": %q, \"controllerKind\": %q, %q: %s, \"namespace\": %q, \"name\": %q, \"error\": %q}",
			now.UTC().Format(time.RFC3339), controller, placement.GroupVersion.Group, kind, kind, object, p.k.Namespace, p.k.Name, err.Error()))
	}
}
