package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/api/crds"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// order is what the measuring process asks of the hub's; one of its fields is set.
type order struct {
	// Done is how many clusters of the first run have succeeded from now on.
	Done  int
	Storm *storm
	// Requests asks for the number of requests that stagewatch has sent.
	Requests bool
}

// storm is a number of changes that are spread evenly over a time.
type storm struct {
	Bindings bool // of bindings, else of runs that have not finished
	Rate     int  // in a second
	For      time.Duration
	// Turns is how many of the changes go to the first run, which no other change touches then. Its
	// succeeded clusters alternate between First and one more or less.
	Turns, First int
	// Content, if not empty, is what long texts of the runs are made of (contents).
	Content string
}

// reply is the answer to an order, after it was executed.
type reply struct {
	At       time.Time   // before the change of the run
	Turns    []time.Time // before each turn of a storm
	Requests int64
	Error    string
}

// ServeHub runs the hub of a size until in ends, and executes the orders of in. Its
// arguments are the size as JSON and the file that the kubeconfig is written to.
func ServeHub(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	var size Size
	if len(args) != 2 {
		return fmt.Errorf("serve the hub of a measurement: %d arguments, not a size and a file", len(args))
	}
	if err := json.Unmarshal([]byte(args[0]), &size); err != nil {
		return fmt.Errorf("read size: %w", err)
	}
	var requests atomic.Int64
	h, s, err := seeded(ctx, size, func(r hub.Request) {
		if strings.HasPrefix(r.Agent, "stagewatch") {
			requests.Add(1)
		}
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Stop()) }()
	if err := h.WriteKubeconfig(args[1], h.DefaultContexts()...); err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	if err := answers.Encode(reply{}); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	for orders := json.NewDecoder(in); ; {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read order: %w", err)
		}
		r := reply{At: time.Now(), Requests: requests.Load()}
		var err error
		if r.Turns, err = s.execute(ctx, o); err != nil {
			r.Error = err.Error()
		}
		if err := answers.Encode(r); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// seeded starts a hub with the objects of a size, and returns what makes them.
func seeded(ctx context.Context, size Size, heard func(hub.Request)) (_ *hub.Hub, _ *seeder, err error) {
	manifests, err := crds.All()
	if err != nil {
		return nil, nil, err
	}
	h, err := hub.Start(ctx, hub.Options{Heard: heard})
	if err != nil {
		return nil, nil, fmt.Errorf("start hub: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Stop())
		}
	}()
	if err := h.InstallCRDs(ctx, manifests...); err != nil {
		return nil, nil, err
	}
	s := &seeder{size: size, now: time.Now(), put: func(resource schema.GroupResource, name string, object any) error {
		raw, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("write %s %s: %w", resource.Resource, name, err)
		}
		return h.Put(ctx, resource, "", name, raw)
	}, change: func(name string, change func(*placement.StagedUpdateRun) bool) error {
		return h.Change(ctx, runs, "", name, func(raw []byte) ([]byte, error) {
			run := &placement.StagedUpdateRun{}
			if err := json.Unmarshal(raw, run); err != nil || !change(run) {
				return nil, err
			}
			return json.Marshal(run)
		})
	}}
	if err := s.seed(); err != nil {
		return nil, nil, err
	}
	return h, s, caughtUp(ctx, h.AdminConfig())
}

// caughtUp waits until the caches of the API server have what was put into its store. After
// a hundred thousand writes past it they are half a minute behind, as those of no hub in use
// are, and every request for the newest state waits for them.
func caughtUp(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	for _, of := range []schema.GroupResource{runs, placements, boundTo, members} {
		// The newest state, from the store, and then one from the cache that is not older.
		options := metav1.ListOptions{FieldSelector: "metadata.name=" + runName(0)}
		for range 2 {
			if err := behind(ctx, func() error {
				list, err := client.Resource(of.WithVersion(placement.Version)).List(ctx, options)
				if err == nil {
					options.ResourceVersion, options.ResourceVersionMatch = list.GetResourceVersion(), metav1.ResourceVersionMatchNotOlderThan
				}
				return err //nolint:wrapcheck // the caller does
			}); err != nil {
				return fmt.Errorf("list %s: %w", of.Resource, err)
			}
		}
	}
	return nil
}

// behind repeats a request while the API server answers that its cache is not ready, or not
// new enough, until ctx ends.
func behind(ctx context.Context, request func() error) error {
	for {
		err := request()
		if !apierrors.IsTooManyRequests(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// turn is how many clusters of the first run have succeeded after a turn.
func (o *storm) turn(n, clusters int) int {
	if n%2 == 0 {
		return o.First
	}
	return 2*clusters - 3 - o.First // of all but two, and all but one
}

// execute changes objects, and returns the times of the turns of a storm.
func (s *seeder) execute(ctx context.Context, o order) ([]time.Time, error) {
	switch {
	case o.Done > 0:
		return nil, s.put(runs, runName(0), s.run(0, 1, o.Done))
	case o.Storm != nil:
		return s.storm(ctx, *o.Storm)
	}
	return nil, nil
}

// storm makes changes at its rate. Where the hub is slower, it lasts longer.
func (s *seeder) storm(ctx context.Context, o storm) (turns []time.Time, err error) {
	tick := time.NewTicker(time.Second / time.Duration(o.Rate))
	defer tick.Stop()
	active, all := s.size.Runs-s.size.Finished, int(o.For.Seconds()*float64(o.Rate))
	for n := range all {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		i := n % active
		switch turn := len(turns); {
		case o.Bindings:
			err = s.put(boundTo, bindingName(n%s.size.Bindings), s.binding(n%s.size.Bindings, n+1))
		case turn < o.Turns && n >= turn*all/o.Turns:
			turns = append(turns, time.Now())
			err = s.put(runs, runName(0), s.run(0, n+2, o.turn(turn, s.size.Clusters)))
		default:
			if o.Turns > 0 && i == 0 {
				i = 1
			}
			run := s.run(i, n+2, s.size.Clusters-1)
			if o.Content != "" {
				burden(run, o.Content)
			}
			err = s.put(runs, runName(i), run)
		}
		if err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// hubProcess is the hub in its process.
type hubProcess struct {
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        *json.Decoder
	orders     *json.Encoder
	dir        string
	kubeconfig string
	config     *rest.Config
}

// startHub starts a program as the hub of a size and waits until it is ready.
func startHub(ctx context.Context, program []string, size Size) (_ *hubProcess, err error) {
	dir, err := os.MkdirTemp("", "stagewatch-bench-")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	h := &hubProcess{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig")}
	as, err := json.Marshal(size)
	if err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	args := append(program[1:len(program):len(program)], string(as), h.kubeconfig)
	// It ends with its stdin, which also the end of this process closes.
	h.cmd = exec.CommandContext(ctx, program[0], args...)
	h.cmd.Stderr = os.Stderr
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	h.out, h.orders = json.NewDecoder(stdout), json.NewEncoder(h.in)
	if err := h.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start hub: %w", err), os.RemoveAll(dir))
	}
	var ready reply
	if err := h.out.Decode(&ready); err != nil {
		return nil, errors.Join(fmt.Errorf("start hub: %w", err), h.end())
	}
	if h.config, err = clientcmd.BuildConfigFromFlags("", h.kubeconfig); err != nil {
		return nil, errors.Join(fmt.Errorf("read kubeconfig: %w", err), h.end())
	}
	return h, nil
}

// do has an order executed.
func (h *hubProcess) do(o order) (reply, error) {
	if err := h.orders.Encode(o); err != nil {
		return reply{}, fmt.Errorf("ask the hub's process: %w", err)
	}
	var r reply
	if err := h.out.Decode(&r); err != nil {
		return reply{}, fmt.Errorf("ask the hub's process: %w", err)
	}
	if r.Error != "" {
		return reply{}, errors.New(r.Error)
	}
	return r, nil
}

// requests is how many requests stagewatch has sent to the hub.
func (h *hubProcess) requests() (int64, error) {
	r, err := h.do(order{Requests: true})
	return r.Requests, err
}

// environment is that of a program that reads the hub and nothing of the person's.
func (h *hubProcess) environment() []string {
	return append(os.Environ(), "HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir, "XDG_STATE_HOME="+h.dir)
}

func (h *hubProcess) end() error {
	return errors.Join(h.in.Close(), h.cmd.Wait(), os.RemoveAll(h.dir))
}
