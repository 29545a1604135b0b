//go:build linux || darwin

package cli_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

const fleetAPI = "/apis/placement.kubernetes-fleet.io/v1beta1"

// kubeconfig is the part of a kubeconfig file that a client needs.
type kubeconfig struct {
	CurrentContext string `json:"current-context"`
	Contexts       []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	} `json:"contexts"`
	Clusters []struct {
		Name    string `json:"name"`
		Cluster struct {
			Server string `json:"server"`
			CA     []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		Name string `json:"name"`
		User struct {
			Token string `json:"token"`
		} `json:"user"`
	} `json:"users"`
}

// lookEvery is how often a witness looks for what it waits for.
const lookEvery = 250 * time.Millisecond

// witness is a client that shares no code with stagewatch: it asks the hub what
// it really holds.
type witness struct {
	t             *testing.T
	server, token string
	client        *http.Client
}

func newWitness(t *testing.T, path string) *witness {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var k kubeconfig
	if err := yaml.Unmarshal(raw, &k); err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t}
	for _, c := range k.Contexts {
		if c.Name != k.CurrentContext {
			continue
		}
		for _, u := range k.Users {
			if u.Name == c.Context.User {
				w.token = u.User.Token
			}
		}
		for _, cl := range k.Clusters {
			if cl.Name == c.Context.Cluster {
				w.server = cl.Cluster.Server
				pool := x509.NewCertPool()
				pool.AppendCertsFromPEM(cl.Cluster.CA)
				w.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
			}
		}
	}
	if w.client == nil || w.token == "" {
		t.Fatalf("the kubeconfig has no usable current context %q", k.CurrentContext)
	}
	t.Cleanup(w.client.CloseIdleConnections)
	return w
}

// get reads an object or list at a path below the KubeFleet group.
func (w *witness) get(path string, into any) {
	w.t.Helper()
	if code, body := w.ask(path); code != http.StatusOK {
		w.t.Fatalf("get %s: %d: %s", path, code, body)
	} else if err := json.Unmarshal(body, into); err != nil {
		w.t.Fatal(err)
	}
}

func (w *witness) ask(path string) (int, []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server+fleetAPI+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, body
}

// gone waits until nothing is at a path.
func (w *witness) gone(path string) {
	w.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		code, _ := w.ask(path)
		if code == http.StatusNotFound {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("%s is still there: %d", path, code)
		}
	}
}

// condition is a condition as the hub holds it.
type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	ObservedGeneration int64     `json:"observedGeneration"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// object is what the tests read of runs and approval requests.
type object struct {
	Metadata struct {
		Name       string `json:"name"`
		Generation int64  `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		State       string `json:"state"`
		Strategy    string `json:"stagedRolloutStrategyName"`
		Index       string `json:"resourceSnapshotIndex"`
		Run         string `json:"parentStageRollout"`
		TargetStage string `json:"targetStage"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
		Stages     []struct {
			Clusters []struct {
				Conditions []condition `json:"conditions"`
			} `json:"clusters"`
		} `json:"stagesStatus"`
	} `json:"status"`
}

// updatesFor returns how long ago the last cluster of a run was started that has not
// succeeded; 0 for none.
func (o *object) updatesFor() time.Duration {
	var started time.Time
	for _, stage := range o.Status.Stages {
		for _, cluster := range stage.Clusters {
			var begin time.Time
			for _, c := range cluster.Conditions {
				if c.Type == "Started" {
					begin = c.LastTransitionTime
				} else if c.Type == "Succeeded" {
					begin = time.Time{}
					break
				}
			}
			if begin.After(started) {
				started = begin
			}
		}
	}
	if started.IsZero() {
		return 0
	}
	return time.Since(started)
}

// finished reports whether all clusters of a stage have succeeded.
func (o *object) finished(stage int) bool {
	if len(o.Status.Stages) <= stage {
		return false
	}
	for _, cluster := range o.Status.Stages[stage].Clusters {
		if !slices.ContainsFunc(cluster.Conditions, func(c condition) bool { return c.Type == "Succeeded" && c.Status == "True" }) {
			return false
		}
	}
	return true
}

func (o *object) condition(kind string) *condition {
	for i := range o.Status.Conditions {
		if o.Status.Conditions[i].Type == kind {
			return &o.Status.Conditions[i]
		}
	}
	return nil
}

// eventually reads a path until the object is as wanted.
func (w *witness) eventually(path, what string, ok func(o *object) bool) *object {
	w.t.Helper()
	return w.within(patience, path, what, ok)
}

// within is eventually for what may take longer.
func (w *witness) within(limit time.Duration, path, what string, ok func(o *object) bool) *object {
	w.t.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		var o object
		code, body := w.ask(path)
		if code == http.StatusOK {
			if err := json.Unmarshal(body, &o); err != nil {
				w.t.Fatal(err)
			}
			if ok(&o) {
				return &o
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("%s: waited %s for %s; it is %+v", path, limit, what, o)
		}
	}
}

// served is a demo that serves its hub to the tests of this package.
type served struct {
	kubeconfig string
	requests   string // the file of what the hub was asked
	stdin      io.WriteCloser
	done       chan error
}

var (
	serveTour      = sync.OnceValues(func() (*served, error) { return startDemo("tour") })
	serveIncidents = sync.OnceValues(func() (*served, error) { return startDemo("incidents") })

	demosMu sync.Mutex
	demos   []*served
)

func startDemo(scenario string, flags ...string) (*served, error) {
	bin, err := buildDemo()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(scratch, scenario+".kubeconfig")
	// The demo ends with its stdin, however the tests end.
	cmd := exec.CommandContext(context.Background(), bin, append([]string{"--serve", "--scenario", scenario, "--kubeconfig-out", path, "--requests-out", path + ".requests", "--until-eof"}, flags...)...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=2GiB")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &served{kubeconfig: path, requests: path + ".requests", stdin: in, done: make(chan error, 1)}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), path) {
			demosMu.Lock()
			demos = append(demos, d)
			demosMu.Unlock()
			go func() { d.done <- cmd.Wait() }()
			return d, nil
		}
	}
	return nil, fmt.Errorf("the demo ended without serving: %w", cmd.Wait())
}

// stopDemos ends the served demos.
func stopDemos() error {
	var all []error
	for _, d := range demos {
		all = append(all, d.stdin.Close())
		select {
		case err := <-d.done:
			all = append(all, err)
		case <-time.After(patience):
			all = append(all, errors.New("the demo did not end with its stdin"))
		}
		all = append(all, onlyAllowed(d.requests))
	}
	return errors.Join(all...)
}

// tour returns the demo that serves the tour, incidents the one that serves the
// incidents. All tests share them.
func tour(t *testing.T) *served      { return demoOf(t, serveTour) }
func incidents(t *testing.T) *served { return demoOf(t, serveIncidents) }

func demoOf(t *testing.T, serve func() (*served, error)) *served {
	t.Helper()
	withoutRace(t)
	d, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// withoutRace skips a test that needs the demo in the race step. The demo links
// the API server, which takes minutes under the detector, and the screen shares
// its goroutines with the tests that need no demo.
func withoutRace(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("needs the demo, which is not built with the race detector")
	}
}
