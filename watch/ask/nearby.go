package ask

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// nearbyEvery is how often the objects beside the run that is looked at are
// read again, so that a repair shows in the diagnosis.
const nearbyEvery = 10 * time.Second

// nearbyDelay is how long a cursor rests before anything is read for the row under
// it.
const nearbyDelay = 150 * time.Millisecond

// planEvery is the same with the plan of a run, which reads more.
const planEvery = 15 * time.Second

// objectsEvery is the same with the Works of every placement on a member.
const objectsEvery = 3 * time.Minute

// besideAtOnce is how many reads beside the streams run at the same time, with up to
// five requests each.
const besideAtOnce = 4

// metadataOnly asks for a list without specs and statuses: a resource snapshot
// may hold a megabyte of manifests.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// Nearby reads the objects beside the streams that the diagnosis on screen needs: the
// placement, its snapshots and strategies, and the plan. One goroutine, Run, owns it.
type Nearby struct {
	reads Reader
	work  *task.Group
	// all says that the diagnoses of all rows are wanted, each read once.
	all   bool
	wantc chan []beside // cap 1, latest wins
	// read gets what was read, by placement; it is never changed afterwards.
	read func(map[engine.ID]*world.Nearby)
	// kept are the answers that are large, for objectsEvery.
	kept map[besideKey]keptAnswer
}

// keptAnswer is an answer that was read at a local time.
type keptAnswer struct {
	besideRead
	at time.Time
}

// keep keeps an answer that is large: the Works of every placement on a member. One that
// was recalled keeps the time at which it was read.
func (n *Nearby) keep(r besideRead, now time.Time) {
	if !r.recalled && r.of.What == engine.ReadObjects && r.answer != nil && r.answer.Gap == nil {
		if n.kept == nil {
			n.kept = map[besideKey]keptAnswer{}
		}
		n.kept[r.key()] = keptAnswer{r, now}
	}
}

// recall returns a kept answer.
func (n *Nearby) recall(w beside, now time.Time) (besideRead, bool) {
	maps.DeleteFunc(n.kept, func(_ besideKey, k keptAnswer) bool { return now.Sub(k.at) >= objectsEvery })
	k, ok := n.kept[w.key()]
	return k.besideRead, ok
}

// NewNearby returns a Nearby. all says that every placement on the list is read,
// once; read gets what was read, by placement.
func NewNearby(reads Reader, work *task.Group, all bool, read func(map[engine.ID]*world.Nearby)) *Nearby {
	return &Nearby{reads: reads, work: work, all: all, read: read, wantc: make(chan []beside, 1)}
}

// Want reads from now on what the diagnoses need that a Snapshot shows. It never
// blocks. One goroutine calls it.
func (n *Nearby) Want(s *engine.Snapshot, focus engine.Focus) {
	select {
	case <-n.wantc:
	default:
	}
	n.wantc <- wantedBeside(s, focus, n.all)
}

// Run reads what is wanted until ctx ends.
func (n *Nearby) Run(ctx context.Context) {
	if n.all {
		n.readEach(ctx)
		return
	}
	n.follow(ctx)
}

// follow reads beside one placement at a time, the one that is looked at, and
// reads again while it is wanted.
func (n *Nearby) follow(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	var want []beside
	set := func(next []beside) {
		want = next
		n.read(nil) // what was read may be old when it is needed again
		timer.Stop()
		if len(want) > 0 {
			timer.Reset(nearbyDelay)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-n.wantc:
			if !slices.Equal(next, want) {
				set(next)
			}
		case <-timer.C:
			near, next, changed := n.readNow(ctx, want)
			switch {
			case ctx.Err() != nil:
				return
			case changed:
				set(next)
				continue
			}
			n.read(near.all)
			every := nearbyEvery
			if slices.ContainsFunc(want, func(w beside) bool { return !w.run.IsZero() }) {
				every = planEvery
			}
			timer.Reset(client.Jitter(every))
		}
	}
}

// readNow reads what is wanted, besideAtOnce of it at a time. It ends early when
// something else is wanted, which it returns.
func (n *Nearby) readNow(ctx context.Context, want []beside) (near besides, next []beside, changed bool) {
	ctx, cancel := context.WithCancel(ctx)
	shared := n.reads.Sharing()
	var reads task.Reads
	defer reads.Wait()
	defer cancel()
	free, got := make(chan struct{}, besideAtOnce), make(chan besideRead, len(want))
	for _, w := range want {
		if r, ok := n.recall(w, time.Now()); ok {
			r.recalled = true
			got <- r
			continue
		}
		reads.Go(func() {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			defer func() { <-free }()
			answered := false
			defer func() {
				if !answered { // it panicked: the others end, and Wait raises it
					cancel()
				}
			}()
			r := shared.beside(ctx, w)
			answered = true
			got <- r
		})
	}
	for left := len(want); left > 0; {
		select {
		case <-ctx.Done():
			return near, nil, false
		case r := <-got:
			near.add(r)
			n.keep(r, time.Now())
			left--
		case next = <-n.wantc:
			if !slices.Equal(next, want) {
				return near, next, true
			}
		}
	}
	return near, nil, false
}

// readEach reads beside every placement that is wanted, once, besideAtOnce of
// them at a time, and what does not depend on a placement once for all of them.
func (n *Nearby) readEach(ctx context.Context) {
	var got besides
	done := make(chan besideRead)
	known := map[besideKey]bool{}
	var reads Reader
	var queue []beside
	for reading := 0; ; {
		for ; reading < besideAtOnce && len(queue) > 0; queue = queue[1:] {
			want := queue[0]
			reading++
			n.work.Go(func() {
				select {
				case done <- reads.beside(ctx, want):
				case <-ctx.Done():
				}
			})
		}
		select {
		case <-ctx.Done():
			return
		case wants := <-n.wantc:
			if reading == 0 { // what the reads before shared may be old
				reads = n.reads.Sharing()
			}
			for _, w := range wants {
				if !known[w.key()] {
					known[w.key()] = true
					queue = append(queue, w)
				}
			}
		case one := <-done:
			reading--
			got.add(one)
			n.read(got.all)
		}
	}
}

// strategies lists the strategies of a namespace, of the cluster scope without
// one. The list is not nil when they were read.
func (rd Reader) strategies(ctx context.Context, ns string) ([]*placement.StagedUpdateStrategy, error) {
	out, err := readSet[placement.StagedUpdateStrategy](ctx, rd,
		scoped(ns, placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies), ns)
	if err == nil && out == nil {
		out = []*placement.StagedUpdateStrategy{}
	}
	return out, err
}

// besideRead is the answer to a beside: what is near its placement, a plan, or an answer.
type besideRead struct {
	beside
	near   *world.Nearby
	plan   *plan.Plan
	answer *world.HubAnswer
	// recalled means that it was read in an earlier round.
	recalled bool
}

// beside reads what is wanted.
func (rd Reader) beside(ctx context.Context, want beside) besideRead {
	switch {
	case !want.of.Member.IsZero():
		return besideRead{beside: want, answer: rd.answer(ctx, want.placement, want.of)}
	case want.run.IsZero():
		return besideRead{beside: want, near: rd.Nearby(ctx, want.placement)}
	}
	p := rd.PlanOf(ctx, want.run, Assumptions{})
	return besideRead{beside: want, plan: &p}
}

// PlanOf plans a run as it stands on the hub. A plan that could not be made says
// so as a gap.
func (rd Reader) PlanOf(ctx context.Context, id engine.ID, assume Assumptions) plan.Plan {
	ns, name, _ := id.Raw()
	run, err := rd.Run(ctx, ns, name)
	if err != nil {
		return plan.Plan{Run: id, Unknown: []engine.Gap{{
			What: engine.Lit("the run"), Why: rd.hub.Failure(err).Err, Forbidden: client.KindOf(err) == client.Forbidden,
		}}}
	}
	return rd.Plan(ctx, run, assume)
}

// Nearby reads the strategies of the scope, the placement, its policy snapshots and the metadata of its resource snapshots, all at once. What
// cannot be read is a gap.
func (rd Reader) Nearby(ctx context.Context, place engine.ID) *world.Nearby {
	out := &world.Nearby{Placement: place.Key()}
	ns, name, _ := place.Raw()
	var reads task.Reads
	var strategies, own, resources, policies error
	reads.Go(func() {
		out.Strategies, strategies = rd.strategies(ctx, ns)
	})
	reads.Go(func() {
		p, err := readNamed[placement.ResourcePlacement](ctx, rd,
			scoped(ns, placement.ResourceClusterResourcePlacements, placement.ResourceResourcePlacements), ns, name)
		switch own = err; {
		case p != nil:
			out.PlacementRead, out.Apply, out.Policy = true, p.Spec.Strategy.ApplyStrategy, p.Spec.Policy
		case err == nil:
			out.Elsewhere = rd.placementsNamed(ctx, place)
		}
	})
	// A name that is no label value is on no label either.
	if len(validation.IsValidLabelValue(name)) == 0 {
		of := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: name}).String()
		reads.Go(func() {
			out.Resources, resources = readSnapshots[placement.ResourceSnapshot](ctx, rd.hub,
				scoped(ns, placement.ResourceClusterResourceSnapshots, placement.ResourceResourceSnapshots), ns, of, metadataOnly)
		})
		reads.Go(func() {
			// One read: two would disagree when the label of the latest moves between them.
			out.Policies, policies = readSnapshots[placement.SchedulingPolicySnapshot](ctx, rd.hub,
				scoped(ns, placement.ResourceClusterSchedulingPolicySnapshots, placement.ResourceSchedulingPolicySnapshots), ns, of, "application/json")
		})
	}
	reads.Wait()
	for _, r := range []struct {
		what engine.Text
		err  error
	}{
		{engine.Lit("strategies"), strategies},
		{engine.Lit("the placement"), own},
		{engine.Lit("resource snapshots"), resources},
		{engine.Lit("policy snapshots"), policies},
	} {
		if r.err != nil {
			out.Gaps = append(out.Gaps, engine.Gap{What: r.what, Why: engine.Message(r.err.Error()), Forbidden: client.KindOf(r.err) == client.Forbidden})
		}
	}
	return out
}

// readSnapshots reads the objects of a set that match the selector, whole or their
// metadata, into their own type.
func readSnapshots[T any](ctx context.Context, h *client.Client, resource, ns, selector, accept string) ([]T, error) {
	var list struct {
		Items []T `json:"items"`
	}
	r := h.Set(http.MethodGet, resource, ns, "").SetHeader("Accept", accept).Param("labelSelector", selector)
	if err := fetch(ctx, h, r, &list); err != nil {
		return nil, err
	}
	if list.Items == nil {
		list.Items = []T{} // read, and empty
	}
	return list.Items, nil
}
