package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/page/snapshots"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/ask/mask"
	"github.com/stagewatch/stagewatch/watch/ask/member"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Config says about which hub an asker answers.
type Config struct {
	Hub *client.Client
	// Named is the hub as the command line named it, for kubectl commands.
	Named engine.Hub
	// Seen returns what the screen shows, nil before the first Snapshot.
	Seen func() *engine.Snapshot
	// Changes returns what a run went through since the streams began, and when
	// that was, by the local clock.
	Changes func(run engine.ID) (began time.Time, changes []timeline.SeenChange)
	// Members finds the contexts of members; nil: there are none.
	Members member.Contexts
	// StuckAfter is the stuck threshold of the session.
	StuckAfter time.Duration
	// QueryMembers permits reads of member clusters for automatic queries.
	QueryMembers bool
	// ClusterRuns and NamespacedRuns are the scopes of the session, the second limited to
	// Namespace, if there is one. Fallback is read where bindings of all namespaces are not
	// permitted; empty: none are.
	ClusterRuns, NamespacedRuns bool
	Namespace, Fallback         string
	// Report gets what members returned, for the diagnoses.
	Report func(*world.MemberReport)
}

// Asker answers Questions with reads.
type Asker struct {
	Config
	// identities are the verdicts on contexts of members.
	identities member.Identities
	// logins are the credentials of automatic member queries.
	logins member.Logins
	// reading is the read of every binding of the hub, nil while there is none; the lock is
	// held while it goes on.
	readingLock sync.Mutex
	reading     *bindingsRead
}

// New returns an Asker.
func New(c Config) *Asker { return &Asker{Config: c} }

// pages reads what the pages are made of. It only asks: the words are engine's.
type pages struct {
	*Asker
	seen *engine.Snapshot // what the screen shows; nil before the first
}

// Answer answers a Question. The Answer carries the Question.
func (s *Asker) Answer(ctx context.Context, q page.Question) page.Answer {
	deadline := client.Deadline
	if _, ok := q.(page.PodsQuestion); ok { // no person waits for the answer
		deadline += member.LoginDeadline
	}
	ctx, cancel := s.Hub.Patiently(ctx, deadline)
	defer cancel()
	began := s.Hub.Now()
	a, err := s.read(ctx, q)
	if err != nil {
		f := s.Hub.Failure(err)
		a = page.Answer{Err: f.Err, Hint: f.Hint, Fault: faultOf(f.Kind)}
		if f.Kind == client.Missing {
			switch q.(type) {
			case page.YAMLQuestion:
				a.Hint = engine.Lit("it was deleted, or deleted and created again")
			case page.PlanQuestion:
				a.Hint = engine.Lit("it was deleted")
			}
		}
	}
	if a.Question = q; began.Before(a.At) {
		a.At = began // nothing in it is newer for certain
	}
	return a
}

// faultOf sorts a failure for exit codes.
func faultOf(k client.FailureKind) act.Fault {
	switch k {
	case client.Forbidden, client.Unauthenticated:
		return act.FaultDenied
	case client.Missing:
		return act.FaultGone
	case client.Unreachable:
		return act.FaultUnreachable
	}
	return act.FaultNone
}

// read reads the answer to a Question.
func (s *Asker) read(ctx context.Context, q page.Question) (page.Answer, error) {
	p := &pages{Asker: s, seen: s.Seen()}
	switch q := q.(type) {
	case page.PlanQuestion:
		return s.plan(ctx, q.Run)
	case page.NewRunQuestion:
		return p.newRun(ctx, q)
	case page.YAMLQuestion:
		return p.yaml(ctx, q.Object)
	case page.ClusterQuestion:
		return p.cluster(ctx, q)
	case page.OwnersQuestion:
		return p.owners(ctx, q)
	case page.AllOwnersQuestion:
		return p.allOwners(ctx)
	case page.PlacementQuestion:
		return p.placement(ctx, q)
	case page.SnapshotsQuestion:
		return p.snapshots(ctx, q)
	case page.ChoicesQuestion:
		return p.choices(ctx, q.Placement)
	case page.ApprovalsQuestion:
		return p.approvals(ctx, q.Run)
	case page.TimelineQuestion:
		return p.timeline(ctx, q)
	case page.LogsQuestion:
		return p.logs(ctx, q)
	case page.MemberQuestion:
		return p.member(ctx, q, false)
	case page.PodQuestion:
		return p.pod(ctx, q, nil, nil)
	case page.PodLogQuestion:
		return p.pod(ctx, q.Of, &q, nil)
	case page.PodsQuestion:
		return p.member(ctx, page.MemberQuestion{Placement: q.Placement, Member: q.Member, Run: q.Run}, true)
	case page.ForgetContextQuestion:
		return s.forgetContext(q.Member), nil
	case page.DiagnosisQuestion:
		return p.diagnosis(ctx, q), nil
	case page.EventsQuestion:
		return p.events(ctx, q.Object)
	}
	return page.Answer{Err: engine.Lit("unknown question")}, nil
}

// now is the hub's time.
func (p *pages) now() time.Time { return p.Hub.Now() }

// why puts an error that takes only a part off a page into words.
func (p *pages) why(err error) engine.Text {
	if err == nil {
		return engine.Text{}
	}
	return p.Hub.Failure(err).Err
}

// get reads one object.
func get[T any](ctx context.Context, h *client.Client, kind engine.Kind, namespace, name string) (*T, error) {
	raw, err := h.Do(ctx, h.At(http.MethodGet, kind, namespace, name))
	if err != nil {
		return nil, err
	}
	o := new(T)
	if err := json.Unmarshal(raw, o); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, name, errors.Join(client.ErrNotJSON, err))
	}
	return o, nil
}

// list reads the objects of a kind that carry the labels. Ones that cannot be
// read are left out and counted.
func list[T any](ctx context.Context, h *client.Client, kind engine.Kind, namespace, labels string) (items []T, unread int, err error) {
	get := func(r *rest.Request, into any) error {
		raw, err := h.Do(ctx, r)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("read list of %s: %w", kind, errors.Join(client.ErrNotJSON, err))
		}
		return nil
	}
	err = eachPage(h, kind.Plural(), namespace, labels, get, func(raw *json.RawMessage) {
		var o T
		if json.Unmarshal(*raw, &o) != nil {
			unread++
			return
		}
		items = append(items, o)
	})
	if err != nil {
		return nil, 0, err
	}
	return items, unread, nil
}

// ofPlacement selects what belongs to a placement.
func ofPlacement(id engine.ID) (namespace, labels string) {
	ns, name, _ := id.Raw()
	return ns, placement.LabelParentPlacement + "=" + name
}

// bindings reads the bindings of a placement, of either scope.
func (p *pages) bindings(ctx context.Context, of engine.ID) ([]placement.ResourceBinding, int, error) {
	ns, labels := ofPlacement(of)
	kind := of.Kind().InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding)
	return list[placement.ResourceBinding](ctx, p.Hub, kind, ns, labels)
}

// overridesShown is how many override snapshots of each scope a page reads.
const overridesShown = 20

// readable is nil for what could not be read.
func readable[T any](o *T, err error) *T {
	if err != nil {
		return nil
	}
	return o
}

// masked replaces a value of a Secret by its length and hash.
func masked(value string) engine.Text { return engine.Clean(mask.Value(value, false)) }

// owners reads who owns each binding of a placement.
func (p *pages) owners(ctx context.Context, q page.OwnersQuestion) (page.Answer, error) {
	f := page.PlacementFacts{Question: page.PlacementQuestion(q), Snapshot: p.seen}
	var err error
	f.Bindings, f.Unread, err = p.bindings(ctx, q.Placement)
	if err != nil && client.KindOf(err) != client.Forbidden {
		return page.Answer{}, err
	}
	f.BindingsWhy, f.Now = p.why(err), p.now()
	return page.OwnersPage(f), nil
}

// placement reads a placement and its snapshots.
func (p *pages) placement(ctx context.Context, q page.PlacementQuestion) (page.Answer, error) {
	f := page.PlacementFacts{Question: q, Snapshot: p.seen}
	ns, name, _ := q.Placement.Raw()
	var own, bindings, resources, policies error
	var reads task.Reads
	reads.Go(func() { f.Placement, own = get[placement.ResourcePlacement](ctx, p.Hub, q.Placement.Kind(), ns, name) })
	reads.Go(func() { f.Bindings, f.Unread, bindings = p.bindings(ctx, q.Placement) })
	reads.Go(func() { f.Resources, resources = p.resources(ctx, q.Placement) })
	reads.Go(func() {
		kind := q.Placement.Kind().InScope(engine.KindClusterSchedulingPolicySnapshot, engine.KindSchedulingPolicySnapshot)
		_, labels := ofPlacement(q.Placement)
		f.Policies, _, policies = list[placement.SchedulingPolicySnapshot](ctx, p.Hub, kind, ns, labels)
	})
	reads.Wait()
	switch client.KindOf(own) {
	case client.NoFailure, client.Missing:
	case client.Forbidden, client.Unreadable:
		f.PlacementWhy = p.why(own)
	default:
		return page.Answer{}, own
	}
	f.BindingsWhy, f.ResourcesWhy, f.PoliciesWhy = p.why(bindings), p.why(resources), p.why(policies)
	f.Now = p.now()
	return page.PlacementPage(f), nil
}

// resources reads the resource snapshots of a placement, masters and parts.
func (p *pages) resources(ctx context.Context, of engine.ID) ([]placement.ResourceSnapshot, error) {
	ns, labels := ofPlacement(of)
	kind := of.Kind().InScope(engine.KindClusterResourceSnapshot, engine.KindResourceSnapshot)
	all, _, err := list[placement.ResourceSnapshot](ctx, p.Hub, kind, ns, labels)
	return all, err
}

// snapshots reads what two resource snapshots hold.
func (p *pages) snapshots(ctx context.Context, q page.SnapshotsQuestion) (page.Answer, error) {
	all, err := p.resources(ctx, q.Placement)
	if err != nil {
		return page.Answer{}, err
	}
	return snapshots.Page(snapshots.Facts{
		Question: q, Resources: all, Now: p.now(), Mask: func(o map[string]any) { mask.Secrets(o) },
	}), nil
}

// evidenceFor is the number of placements whose bindings the approvals page reads.
const evidenceFor = 10

// approvals reads the evidence for each pending approval, of all runs or of one.
func (p *pages) approvals(ctx context.Context, run engine.ID) (page.Answer, error) {
	if p.seen == nil {
		return page.Answer{Err: engine.Lit("not loaded yet")}, nil
	}
	f := inbox.Facts{
		Snapshot: p.seen, Run: run,
		Bindings: map[engine.ID][]placement.ResourceBinding{}, BindingsWhy: map[engine.ID]engine.Text{},
	}
	places := inbox.Awaited(p.seen, run)
	places = places[:min(len(places), evidenceFor)]
	bindings, failed := make([][]placement.ResourceBinding, len(places)), make([]error, len(places))
	var reads task.Reads
	for i, place := range places {
		reads.Go(func() { bindings[i], _, failed[i] = p.bindings(ctx, place) })
	}
	reads.Wait()
	for i, place := range places {
		if failed[i] != nil {
			f.BindingsWhy[place] = p.why(failed[i])
			continue
		}
		f.Bindings[place] = bindings[i]
	}
	f.Now = p.now()
	return inbox.Page(f), nil
}

// diagnosis makes the page from the streams, and reads what they do not have.
func (p *pages) diagnosis(ctx context.Context, q page.DiagnosisQuestion) page.Answer {
	if p.seen == nil {
		return page.Answer{Err: engine.Lit("not loaded yet")}
	}
	v := p.seen.Find(q.Run)
	if v == nil {
		return page.Answer{Err: engine.Lit("the run was deleted"), Hint: engine.Lit("it was deleted, or is no longer listed")}
	}
	f := page.DiagnosisFacts{Member: q.Member, Snapshot: p.seen, Run: v, Now: p.now()}
	if d := p.seen.Detail; d != nil && d.Run.ID == v.ID {
		f.Detail = d
	}
	limited, cancel := context.WithTimeout(ctx, factsDeadline) // the page waits for it
	defer cancel()
	var reads task.Reads
	var made plan.Plan
	unfinished := v.Word != engine.WordNoRun && !v.Terminal
	if unfinished {
		reads.Go(func() {
			made = NewReader(p.Hub).PlanOf(limited, v.ID, Assumptions{StuckAfter: p.seen.StuckAfter})
		})
	}
	f.Hub = NewReader(p.Hub).HubFacts(limited, &f)
	reads.Wait()
	if unfinished {
		f.Plan = &made
	}
	return page.DiagnosisPage(f)
}

// timeline reads a run and its approval requests.
func (p *pages) timeline(ctx context.Context, q page.TimelineQuestion) (page.Answer, error) {
	ns, name, _ := q.Run.Raw()
	run, err := get[placement.StagedUpdateRun](ctx, p.Hub, q.Run.Kind(), ns, name)
	if err != nil {
		return page.Answer{}, err
	}
	f := timeline.Facts{Question: q, Run: run}
	if p.seen != nil {
		f.StuckAfter = p.seen.StuckAfter
	}
	skew := p.Hub.Offset()
	f.Watched, f.Seen = p.Changes(q.Run)
	f.Watched = f.Watched.Add(skew)
	for i := range f.Seen {
		f.Seen[i].At = f.Seen[i].At.Add(skew)
	}
	kind := q.Run.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
	f.Approvals, _, err = list[placement.ApprovalRequest](ctx, p.Hub, kind, ns, placement.LabelTargetUpdateRun+"="+name)
	f.ApprovalsWhy, f.Now = p.why(err), p.now()
	return timeline.Page(f), nil
}
