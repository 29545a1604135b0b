package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/watch"
)

const (
	unitTime   = "ms"
	unitMemory = "MB"
	// benchPause keeps changes apart, so that none waits for the session's
	// next publication after the one before.
	benchPause = 300 * time.Millisecond
	// benchPatience bounds the wait for one change.
	benchPatience = 30 * time.Second
)

// bench measures one hub.
type bench struct {
	config *rest.Config
	client *http.Client
	world  *store.Store
	size   Size
	times  int
	// changed is the run that is changed, and runs is where to read them all.
	changed, runs string
}

func newBench(config *rest.Config, size Size, times int) (*bench, error) {
	w, err := store.New(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	gvr := w.Kinds.Runs.Cluster.GVR
	return &bench{
		config: config, client: client, world: w, size: size, times: times, changed: "bench-0000",
		runs: fmt.Sprintf("%s/apis/%s/%s/%s", config.Host, gvr.Group, gvr.Version, gvr.Resource),
	}, nil
}

func (b *bench) Get(ctx context.Context, query string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.runs+query, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	answer, err := b.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("get runs: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("get runs: %s", answer.Status), answer.Body.Close())
	}
	return answer.Body, nil
}

// raw reads all runs and throws them away. It returns their length in bytes.
func (b *bench) raw(ctx context.Context) (int64, error) {
	body, err := b.Get(ctx, "?resourceVersion=0") // from the hub's cache, as a list of a watch
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, body)
	return n, errors.Join(err, body.Close())
}

// load compares the time until a session knows its hub with a plain GET.
func (b *bench) load(ctx context.Context) ([]Measurement, error) {
	var floor, rows, whole []time.Duration
	for range b.times {
		began := time.Now()
		if _, err := b.raw(ctx); err != nil {
			return nil, err
		}
		floor = append(floor, time.Since(began))
		first, all, err := b.loadOnce(ctx)
		if err != nil {
			return nil, err
		}
		rows, whole = append(rows, first), append(whole, all)
	}
	const of = "GET of the runs"
	return []Measurement{
		{What: "first rows", Value: median(rows), Unit: unitTime, Floor: median(floor), FloorOf: of},
		{What: "complete", Value: median(whole), Unit: unitTime, Floor: median(floor), FloorOf: of},
	}, nil
}

func (b *bench) loadOnce(ctx context.Context) (rows, whole time.Duration, err error) {
	began := time.Now()
	s, err := watch.Open(ctx, watch.Config{REST: b.config})
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	return b.loaded(ctx, s, began)
}

// change compares the time from a write until the session has a Snapshot with
// it with the time until a plain watch has it.
func (b *bench) change(ctx context.Context) (_ []Measurement, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := watch.Open(ctx, watch.Config{REST: b.config})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, _, err := b.loaded(ctx, s, time.Now()); err != nil {
		return nil, err
	}
	heard, closePlain, err := b.plainWatch(ctx)
	if err != nil {
		return nil, err
	}
	shown, ended := b.snapshots(ctx, s)
	defer func() {
		cancel()
		err = errors.Join(err, closePlain())
		<-ended
	}()
	var floor, ours []time.Duration
	for i := range 4 * b.times {
		select {
		case <-time.After(benchPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		drain(heard)
		drain(shown)
		began := time.Now()
		if err := b.touch(ctx, i); err != nil {
			return nil, err
		}
		plain, err := arrival(ctx, heard)
		if err != nil {
			return nil, fmt.Errorf("wait for the plain watch: %w", err)
		}
		snap, err := arrival(ctx, shown)
		if err != nil {
			return nil, fmt.Errorf("wait for the session: %w", err)
		}
		floor, ours = append(floor, plain.Sub(began)), append(ours, snap.Sub(began))
	}
	return []Measurement{{
		What: "a change is on its way to the screen", Value: median(ours), Unit: unitTime,
		Floor: median(floor), FloorOf: "plain watch",
	}}, nil
}

// touch changes a condition of one run.
func (b *bench) touch(ctx context.Context, i int) error {
	patch := fmt.Appendf(nil,
		`[{"op":"replace","path":"/status/conditions/1/message","value":"The update run is making progress, %d"}]`, i)
	_, err := b.world.Hub.Resource(b.world.Kinds.Runs.Cluster.GVR).
		Patch(ctx, b.changed, types.JSONPatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("change run: %w", err)
	}
	return nil
}

// plainWatch tells when each change arrives at a program that does nothing with
// it. It ends with ctx; closing returns once it has.
func (b *bench) plainWatch(ctx context.Context) (heard <-chan time.Time, closing func() error, err error) {
	now, err := b.world.Hub.Resource(b.world.Kinds.Runs.Cluster.GVR).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, nil, fmt.Errorf("list runs: %w", err)
	}
	body, err := b.Get(ctx, "?watch=1&resourceVersion="+now.GetResourceVersion())
	if err != nil {
		return nil, nil, err
	}
	times := make(chan time.Time, 16)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewReader(body)
		for {
			if _, err := lines.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull) {
				continue
			} else if err != nil {
				return
			}
			select {
			case times <- time.Now():
			case <-ctx.Done():
				return
			}
		}
	}()
	return times, func() error {
		err := body.Close()
		<-ended
		return err
	}, nil
}

// snapshots tells when the session has another view of the changed run.
func (b *bench) snapshots(ctx context.Context, s *watch.Session) (shown <-chan time.Time, ended <-chan struct{}) {
	times := make(chan time.Time, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var last any // an unchanged run keeps its pointer
		for {
			snap, err := s.Next(ctx)
			if err != nil {
				return
			}
			moved := false
			for _, run := range snap.Runs {
				if run.ID.Name().String() == b.changed && last != any(run) {
					last, moved = run, true
				}
			}
			if !moved {
				continue
			}
			select {
			case times <- time.Now():
			case <-ctx.Done():
				return
			}
		}
	}()
	return times, done
}

func arrival(ctx context.Context, times <-chan time.Time) (time.Time, error) {
	select {
	case at := <-times:
		return at, nil
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	case <-time.After(benchPatience):
		return time.Time{}, fmt.Errorf("nothing for %s", benchPatience)
	}
}

func drain(times <-chan time.Time) {
	for {
		select {
		case <-times:
		default:
			return
		}
	}
}

// memory compares what a session holds with the length of the runs as JSON.
func (b *bench) memory(ctx context.Context) ([]Measurement, error) {
	var held []float64
	length, err := b.raw(ctx)
	if err != nil {
		return nil, err
	}
	for range b.times {
		more, err := b.holds(ctx)
		if err != nil {
			return nil, err
		}
		held = append(held, more)
	}
	return []Measurement{{
		What: "held in memory", Value: middle(held), Unit: unitMemory,
		Floor: float64(length) / 1e6, FloorOf: "the runs as JSON",
	}}, nil
}

// holds is how much less the process needs once a session is closed, in MB. The
// hub of the same process stays as it is.
func (b *bench) holds(ctx context.Context) (float64, error) {
	s, err := watch.Open(ctx, watch.Config{REST: b.config})
	if err != nil {
		return 0, err
	}
	_, _, err = b.loaded(ctx, s, time.Now())
	with := heap()
	s.Close()
	runtime.KeepAlive(s)
	s = nil
	return float64(with)/1e6 - float64(heap())/1e6, err
}

// heap is what the process still needs after the garbage is gone.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what had a finalizer goes with the second
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(samples []time.Duration) float64 {
	figures := make([]float64, len(samples))
	for i, s := range samples {
		figures[i] = milliseconds(s)
	}
	return middle(figures)
}

// middle is the middle one of some figures; of an even number the upper one.
func middle(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
}
