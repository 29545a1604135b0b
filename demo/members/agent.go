// Package members simulates member clusters: their agents apply Works and report, and a
// read-only API under /members/NAME of the hub's address returns their objects.
package members

import (
	"cmp"
	"context"
	"hash/fnv"
	"log/slog"
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

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// How long a member takes to apply a Work, for its workloads to become
// available, and to remove them again; each with jitter, and stretched by the
// placement's pace.
const (
	applyTakes  = 500 * time.Millisecond
	startTakes  = 1200 * time.Millisecond
	removeTakes = 900 * time.Millisecond
)

// Agents simulates the agents of all members: they apply Works and report their
// status, and send heartbeats (docs/kubefleet.md#work).
type Agents struct {
	Config
	world            *store.Store
	works, heartbeat *store.Queue
	started          time.Time

	mu     sync.Mutex
	faults []Fault
	// taken is when a generation of a Work was first seen.
	taken map[string]time.Time
	// held is what the agents have applied, by Work; see holdings.
	held map[store.Key][]held
}

// Config is how the members of a scenario behave.
type Config struct {
	// Seed makes the jitter repeatable, Stretch multiplies all durations.
	Seed    uint64
	Stretch float64
	// Silent are the members whose agents do nothing.
	Silent map[string]bool
	// Pace stretches the time that members need, by placement (namespace/name).
	Pace map[string]float64
	// Faults are what goes wrong on members.
	Faults []Fault
	// Initial returns the manifests that a cluster has of a placement
	// (namespace/name) before the first run.
	Initial func(placement, cluster string) []placement.ResourceContent
}

// New returns agents with their queues connected to the tables. Call it
// before the tables receive objects.
func New(w *store.Store, c Config, log *slog.Logger) *Agents {
	a := &Agents{
		Config: c, world: w, started: time.Now(), faults: slices.Clone(c.Faults),
		taken: map[string]time.Time{}, held: map[store.Key][]held{},
	}
	a.works = store.NewRetryQueue("works", log, a.pass)
	a.heartbeat = store.NewRetryQueue("members", log, heartbeats{world: w, silent: a.Silent}.pass)
	w.Works.Observe(func(before, after *placement.Work) {
		work := after
		if work == nil {
			work = before
			a.forget(work)
		}
		a.works.Add(store.Key{Namespace: work.Namespace, Name: work.Name}, 0)
	})
	w.Members.Observe(func(before, after *cluster.MemberCluster) {
		if before == nil {
			a.heartbeat.Add(store.Key{Name: after.Name}, 0)
		}
	})
	return a
}

// Start starts the workers. They end with ctx, and then done.
func (a *Agents) Start(ctx context.Context, done *sync.WaitGroup) {
	a.works.Start(ctx, 4, done)
	a.heartbeat.Start(ctx, 1, done)
}

// pass looks at one Work.
func (a *Agents) pass(ctx context.Context, k store.Key) (time.Duration, error) {
	w := a.world.Works.Get(k)
	if w == nil {
		return 0, nil
	}
	if cluster := clusterOf(w); cluster == "" || a.Silent[cluster] {
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
	running := since >= available || reportsOnly(w)
	next := w.DeepCopy()
	if next.Status = a.status(w, running, time.Now()); !equality.Semantic.DeepEqual(next.Status, w.Status) {
		if _, err := a.world.Works.Update(ctx, next, "status", metav1.UpdateOptions{}); err != nil {
			return 0, err
		}
	}
	if !running {
		return available - since, nil
	}
	return 0, nil
}

// reportsOnly reports whether a Work is of a placement that only reports differences.
func reportsOnly(w *placement.Work) bool {
	return w.Spec.ApplyStrategy != nil && w.Spec.ApplyStrategy.Type == placement.ApplyReportDiff
}

// status is what the agent reports of a Work, which it applies unless it only reports how the
// objects of the member differ. running says that the workloads have had the time to start.
func (a *Agents) status(w *placement.Work, running bool, now time.Time) placement.WorkStatus {
	if reportsOnly(w) {
		return works.ReportDiffs(w, metav1.NewTime(now), func(m works.Manifest) *placement.ResourceContent {
			if h := a.holding(w, m); h != nil {
				return &h.content
			}
			return nil
		})
	}
	pending, refused := a.broken(w), a.refused(w)
	a.hold(w, refused, now)
	if !running {
		pending = workloads(w)
	}
	reported := map[int]works.NotApplied{}
	for i, r := range refused {
		reported[i] = works.NotApplied{Reason: r.Reason, Message: r.Message, Drift: r.Drift}
	}
	return works.ReportApplied(w, w.Generation, metav1.NewTime(now), pending, reported)
}

// takenAt is when the agent first saw this generation of the Work, or its
// deletion. What the member has already was applied long ago.
func (a *Agents) takenAt(w *placement.Work) time.Time {
	id := string(w.UID) + "/" + strconv.FormatInt(w.Generation, 10) + "/" + strconv.FormatBool(w.DeletionTimestamp != nil)
	a.mu.Lock()
	at, known := a.taken[id]
	a.mu.Unlock()
	if known {
		return at
	}
	if w.DeletionTimestamp != nil || !a.has(w) {
		at = time.Now()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken[id] = at
	return at
}

// forget drops what is remembered of a Work that is gone.
func (a *Agents) forget(w *placement.Work) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.taken {
		if strings.HasPrefix(id, string(w.UID)+"/") {
			delete(a.taken, id)
		}
	}
	delete(a.held, store.Key{Namespace: w.Namespace, Name: w.Name})
}

// jitter is a source of its own for each generation of each Work, so that the
// order in which members are looked at changes nothing.
func (a *Agents) jitter(w *placement.Work) *rand.Rand {
	hash := fnv.New64a()
	for _, part := range []string{w.Namespace, "/", w.Name, "/", w.Labels[placement.LabelParentResourceSnapshotIndex]} {
		hash.Write([]byte(part))
	}
	return rand.New(rand.NewPCG(a.Seed, hash.Sum64()))
}

// takes is how long something takes on a member: 0.6 to 1.6 times the usual.
func (a *Agents) takes(usual time.Duration, w *placement.Work, r *rand.Rand) time.Duration {
	pace := cmp.Or(a.Pace[placementOf(w)], 1)
	return time.Duration(float64(usual) * (0.6 + r.Float64()) * pace * a.Stretch)
}

// workloads are the positions of the manifests that take time to start.
func workloads(w *placement.Work) map[int]bool {
	found := map[int]bool{}
	for i, content := range w.Spec.Workload.Manifests {
		if m, err := works.ParseManifest(content); err == nil && m.IsDeployment() {
			found[i] = true
		}
	}
	return found
}

// ValidImage matches the names of images that a kubelet would try to pull.
var ValidImage = regexp.MustCompile(`^[a-z0-9]+(?:[._-][a-z0-9]+)*(?::[0-9]+)?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*` +
	`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`)

// remove ends a deleted Work, now that the member has none of it left.
func (a *Agents) remove(ctx context.Context, w *placement.Work) error {
	next := w.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool { return f == placement.FinalizerWork })
	if len(next.Finalizers) == len(w.Finalizers) {
		return nil
	}
	_, err := a.world.Works.Update(ctx, next, "", metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
