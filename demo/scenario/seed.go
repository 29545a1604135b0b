package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// seeders is how many requests of a seed are under way at once: enough to keep
// the hub busy.
const seeders = 12

// Seed creates the scenario's objects on the hub, each as the controllers that
// were there before would have left it: placements scheduled, clusters at the
// snapshot they had, members joined. Objects that exist are left as they are, so
// that Seed can be called again.
func Seed(ctx context.Context, config *rest.Config, s Scenario) error {
	w, err := store.New(config)
	if err != nil {
		return err
	}
	seeds := newSeed(w, s)
	if err := seeds.essentials(ctx); err != nil {
		return err
	}
	return seeds.rest(ctx, seeders)
}

type seed struct {
	world    *store.Store
	scenario Scenario
	at       time.Time
}

func newSeed(w *store.Store, s Scenario) *seed {
	return &seed{world: w, scenario: s, at: time.Now().Truncate(time.Second)}
}

// job creates one object, or one and what hangs on it.
type job func(context.Context) error

// essentials creates what runs and their screens need, the runs last.
func (s *seed) essentials(ctx context.Context) error {
	for _, phase := range [][]job{s.namespaces(), slices.Concat(s.standing(), s.placements(), s.beforehand()), s.runs()} {
		if err := together(ctx, seeders, phase); err != nil {
			return fmt.Errorf("seed scenario %s: %w", s.scenario.Name, err)
		}
	}
	return nil
}

// rest creates what nobody waits for, which is more than the essentials: the Works that the
// members have applied.
func (s *seed) rest(ctx context.Context, workers int) error {
	if err := together(ctx, workers, s.works()); err != nil {
		return fmt.Errorf("seed works of scenario %s: %w", s.scenario.Name, err)
	}
	return nil
}

// together runs the jobs, as many at a time as there are workers, and returns
// when all are done.
func together(ctx context.Context, workers int, jobs []job) error {
	var (
		running  sync.WaitGroup
		queue    = make(chan job)
		mu       sync.Mutex
		failures []error
	)
	for range min(workers, len(jobs)) {
		running.Go(func() {
			for do := range queue {
				if err := do(ctx); err != nil {
					mu.Lock()
					failures = append(failures, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, do := range jobs {
		queue <- do
	}
	close(queue)
	running.Wait()
	return errors.Join(failures...)
}

func (s *seed) namespaces() []job {
	var jobs []job
	add := func(name string, labels map[string]string) {
		jobs = append(jobs, func(ctx context.Context) error { return s.namespace(ctx, name, labels) })
	}
	for _, name := range s.scenario.Namespaces {
		var labels map[string]string
		if s.selects(name) {
			labels = map[string]string{"app.kubernetes.io/name": name}
		}
		add(name, labels)
	}
	for _, m := range s.scenario.Members {
		add(placement.MemberNamespace(m.Name), map[string]string{placement.LabelIsFleetResource: "true"})
	}
	return jobs
}

// selects reports whether a cluster-scoped placement selects the namespace, whose
// labels are then those of its manifest.
func (s *seed) selects(namespace string) bool {
	return slices.ContainsFunc(s.scenario.Placements, func(p Placement) bool { return p.Namespace == "" && appNamespace(p) == namespace })
}

func (s *seed) namespace(ctx context.Context, name string, labels map[string]string) error {
	space := &unstructured.Unstructured{}
	space.SetGroupVersionKind(s.world.Kinds.Space.GVK())
	space.SetName(name)
	space.SetLabels(labels)
	_, err := store.Client(s.world.Hub, s.world.Kinds.Space, "").Create(ctx, space, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s: %w", name, err)
	}
	return nil
}

func (s *seed) standing() []job {
	var jobs []job
	for _, m := range s.scenario.Members {
		jobs = append(jobs, func(ctx context.Context) error {
			_, err := s.world.Members.Place(ctx, memberCluster(m, s.at))
			return err
		})
	}
	for _, st := range s.scenario.Strategies {
		jobs = append(jobs, func(ctx context.Context) error {
			_, err := s.world.Strategies.Place(ctx, strategyObject(st))
			return err
		})
	}
	return jobs
}

// beforehand is what was there before the runs and shall stand in their way.
func (s *seed) beforehand() []job {
	var jobs []job
	for _, o := range s.scenario.Strangers {
		jobs = append(jobs, func(ctx context.Context) error {
			_, err := s.world.Approvals.Place(ctx, strangerObject(o))
			return err
		})
	}
	for _, o := range s.scenario.Overrides {
		jobs = append(jobs, func(ctx context.Context) error {
			return s.override(ctx, o)
		})
	}
	return jobs
}

func (s *seed) override(ctx context.Context, o Override) error {
	if o.Namespace == "" {
		object, err := o.ofNamespace()
		if err != nil {
			return err
		}
		_, err = s.world.ClusterOverrides.Place(ctx, object)
		return err
	}
	object, err := o.ofDeployment()
	if err != nil {
		return err
	}
	_, err = s.world.Overrides.Place(ctx, object)
	return err
}

func (s *seed) runs() []job {
	var jobs []job
	for _, r := range s.scenario.Runs {
		jobs = append(jobs, func(ctx context.Context) error {
			_, err := s.world.Runs.Place(ctx, runObject(r))
			return err
		})
	}
	return jobs
}
