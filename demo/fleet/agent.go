package fleet

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// How long a member takes to apply a Work, for its workloads to become
// available, and to remove them again; each with jitter, and stretched by the
// placement's pace.
const (
	applyTakes  = 500 * time.Millisecond
	startTakes  = 1200 * time.Millisecond
	removeTakes = 900 * time.Millisecond
)

// agents play the agents of all members: they take Works, apply them, and
// report (docs/kubefleet.md#work).
type agents struct {
	world *world
	loop  *loop
	// seed makes the jitter repeatable, stretch makes everything slower.
	seed    uint64
	stretch float64
	silent  map[string]bool
	pace    map[string]float64 // by namespace/placement
	// placements are the scenario's: what the members had before the first run.
	placements []Placement

	started time.Time

	mu     sync.Mutex
	faults []Fault
	// taken is when a generation of a Work was first seen.
	taken map[string]time.Time
	// held is what the agents have applied, by Work; see holdings.
	held map[key][]held
}

func newAgents(w *world, s Scenario, stretch float64) *agents {
	a := &agents{
		world: w, started: time.Now(), seed: s.Seed, stretch: stretch, faults: slices.Clone(s.Faults),
		silent: map[string]bool{}, pace: map[string]float64{}, taken: map[string]time.Time{},
		placements: s.Placements, held: map[key][]held{},
	}
	for _, m := range s.Members {
		a.silent[m.Name] = m.SilentFor > 0
	}
	for _, p := range s.Placements {
		if p.Pace > 0 {
			a.pace[p.Namespace+"/"+p.Name] = p.Pace
		}
	}
	return a
}

// pass looks at one Work.
func (a *agents) pass(ctx context.Context, k key) (time.Duration, error) {
	w := a.world.works.get(k)
	if w == nil {
		return 0, nil
	}
	if cluster := clusterOf(w); cluster == "" || a.silent[cluster] {
		return 0, nil
	}
	since := time.Since(a.takenAt(w))
	r := a.jitter(w)
	if w.DeletionTimestamp != nil {
		if wait := a.takes(removeTakes, w, r) - since; wait > 0 {
			return wait, nil
		}
		return 0, a.remove(ctx, w)
	}
	applied := a.takes(applyTakes, w, r)
	available := applied + a.takes(startTakes, w, r)
	if since < applied {
		return applied - since, nil
	}
	pending, running, refused := a.broken(w), since >= available, a.refused(w)
	a.hold(w, refused, time.Now())
	if !running {
		pending = workloads(w)
	}
	next := w.DeepCopy()
	next.Status = reportApplied(w, w.Generation, metav1.NewTime(time.Now()), pending, refused)
	if !equality.Semantic.DeepEqual(next.Status, w.Status) {
		if _, err := a.world.works.update(ctx, next, "status", metav1.UpdateOptions{}); err != nil {
			return 0, err
		}
	}
	if !running {
		return available - since, nil
	}
	return 0, nil
}

// settled tells whether all that a Work places is available.
func settled(w *placement.Work) bool {
	not, _ := firstNot([]*placement.Work{w}, placement.BindingAvailable)
	return not == nil
}

// takenAt is when the agent first saw this generation of the Work, or its
// deletion. A Work that is reported on already was seen long ago.
func (a *agents) takenAt(w *placement.Work) time.Time {
	id := string(w.UID) + "/" + strconv.FormatInt(w.Generation, 10) + "/" + strconv.FormatBool(w.DeletionTimestamp != nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	at, known := a.taken[id]
	if !known {
		at = time.Now()
		if w.DeletionTimestamp == nil && settled(w) {
			at = time.Time{}
		}
		a.taken[id] = at
	}
	return at
}

// forget drops what is remembered of a Work that is gone.
func (a *agents) forget(w *placement.Work) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.taken {
		if strings.HasPrefix(id, string(w.UID)+"/") {
			delete(a.taken, id)
		}
	}
	delete(a.held, key{Namespace: w.Namespace, Name: w.Name})
}

// jitter is a source of its own for each generation of each Work, so that the
// order in which members are looked at changes nothing.
func (a *agents) jitter(w *placement.Work) *rand.Rand {
	hash := fnv.New64a()
	for _, part := range []string{w.Namespace, "/", w.Name, "/", w.Labels[placement.LabelParentResourceSnapshotIndex]} {
		hash.Write([]byte(part))
	}
	return rand.New(rand.NewPCG(a.seed, hash.Sum64()))
}

// takes is how long something takes on a member: 0.6 to 1.6 times the usual.
func (a *agents) takes(usual time.Duration, w *placement.Work, r *rand.Rand) time.Duration {
	pace := a.pace[w.Labels[placement.LabelParentPlacementNamespace]+"/"+w.Labels[placement.LabelParentPlacement]]
	if pace == 0 {
		pace = 1
	}
	return time.Duration(float64(usual) * (0.6 + r.Float64()) * pace * a.stretch)
}

// workloads are the positions of the manifests that take time to start.
func workloads(w *placement.Work) map[int]bool {
	found := map[int]bool{}
	for i, content := range w.Spec.Workload.Manifests {
		if m, err := parseManifest(content); err == nil && m.isDeployment() {
			found[i] = true
		}
	}
	return found
}

// validImage matches the names of images that a kubelet would try to pull.
var validImage = regexp.MustCompile(`^[a-z0-9]+(?:[._-][a-z0-9]+)*(?::[0-9]+)?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*` +
	`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`)

// remove ends a deleted Work, now that the member has none of it left.
func (a *agents) remove(ctx context.Context, w *placement.Work) error {
	next := w.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool { return f == placement.FinalizerWork })
	if len(next.Finalizers) == len(w.Finalizers) {
		return nil
	}
	_, err := a.world.works.update(ctx, next, "", metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
