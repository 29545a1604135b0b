//go:build linux || darwin

package cli_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/watch/faults"
)

var historyFor = flag.Duration("history", 0, "play random histories of the program for so long, besides the fixed ones")

// step is one thing that happens in a history: a fault of the connection, a change of the
// hub or an act of the person.
type step struct {
	At   time.Duration `json:"at"`
	Kind string        `json:"kind"` // fault, hub, keys, size, stop, leave
	Arg  string        `json:"arg"`
	Of   string        `json:"of,omitempty"` // of a fault: which requests
}

// The parts of a script.
var (
	historyKeys  = []string{"j", "k", "G", "g", "\r", "\x1b", "\x1b", "d", "o", "i", "t", "?", "!", "z", "\t", "+", "_", "/h-\r", ":own\x1b", "Y", "\x1b[200~yyyy\rS\rh-1\r\x1b[201~", "\x1b[6~", "\x1b[5~", "%", "w", " ", " "}
	historySizes = []string{"120x30", "120x30", "100x24", "138x40", "80x24", "160x50", "200x60"}
	historyOf    = map[string]func(*http.Request) bool{
		"everything": nil, "watches": faults.Watches, "long watches": faults.LongWatches, "checks": faults.Checks, "lists": faults.Lists,
		"runs":   faults.Resource("clusterstagedupdateruns"),
		"writes": func(r *http.Request) bool { return r.Method != http.MethodGet },
	}
	historyFaults = []faults.Kind{
		faults.Cut, faults.Freeze, faults.FreezeUp, faults.Mute, faults.Delay, faults.Hang, faults.Silence, faults.Status,
		faults.Torn, faults.Duplicate, faults.Old, faults.Lost, faults.Empty, faults.HTML, faults.Poison, faults.Skew, faults.Redirect, faults.Drop,
	}
	historyCodes = []int{403, 410, 429, 500, 503}
)

const historyRuns = 8

// script is the steps of a seed, for as long as length.
func script(seed uint64, length time.Duration) []step {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []step
	every := func(least, most time.Duration, make func(at time.Duration) step) {
		for at := least; at < length; at += least + time.Duration(r.Int64N(int64(most-least))) {
			out = append(out, make(at))
		}
	}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	of := make([]string, 0, len(historyOf))
	for name := range historyOf {
		of = append(of, name)
	}
	slices.Sort(of)
	every(150*time.Millisecond, 500*time.Millisecond, func(at time.Duration) step {
		return step{At: at, Kind: "hub", Arg: fmt.Sprint(r.IntN(historyRuns))}
	})
	every(100*time.Millisecond, 600*time.Millisecond, func(at time.Duration) step {
		switch n := r.IntN(20); {
		case n == 0:
			return step{At: at, Kind: "size", Arg: pick(historySizes)}
		case n < 3:
			return step{At: at, Kind: "stop", Arg: strings.Repeat("j", r.IntN(historyRuns))}
		case n == 3:
			return step{At: at, Kind: "leave", Arg: strings.Repeat("j", r.IntN(historyRuns))}
		}
		return step{At: at, Kind: "keys", Arg: pick(historyKeys)}
	})
	every(300*time.Millisecond, 2500*time.Millisecond, func(at time.Duration) step {
		if r.IntN(3) == 0 {
			return step{At: at, Kind: "fault"}
		}
		kind := historyFaults[r.IntN(len(historyFaults))]
		arg := string(kind)
		if kind == faults.Status {
			arg = fmt.Sprint(historyCodes[r.IntN(len(historyCodes))])
		}
		return step{At: at, Kind: "fault", Arg: arg, Of: pick(of)}
	})
	slices.SortStableFunc(out, func(a, b step) int { return int(a.At - b.At) })
	return out
}

// theatre is a hub with the runs of a history, and the way to it.
type theatre struct {
	t          *testing.T
	w          *witness
	proxy      *faults.Proxy
	kubeconfig string
	objects    []map[string]any

	mu  sync.Mutex
	say chronicle
}

// newTheatre makes a hub's runs, of no placement and driven by nobody but the script.
func newTheatre(t *testing.T) *theatre {
	t.Helper()
	d := demoOf(t, serveIdle)
	th := &theatre{t: t, w: newWitness(t, d.kubeconfig)}
	for i := range historyRuns {
		name := fmt.Sprintf("h-%d", i)
		th.send(http.MethodDelete, "/clusterstagedupdateruns/"+name, nil) // of the history before
		th.w.gone("/clusterstagedupdateruns/" + name)
		if code, body := th.send(http.MethodPost, "/clusterstagedupdateruns", map[string]any{
			"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterStagedUpdateRun", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"placementName": "web", "stagedRolloutStrategyName": "rings", "state": "Run", "resourceSnapshotIndex": "7"},
		}); code == http.StatusCreated {
			th.objects = append(th.objects, body)
		} else {
			t.Fatalf("create run %s: %d %v", name, code, body)
		}
		th.advance(i)
	}
	th.say.runs = historyRuns
	th.proxy, th.kubeconfig = behindFaults(t, th.w, th.noteWrite)
	return th
}

// behindFaults puts a proxy with faults before a hub, and returns it with a kubeconfig whose
// context is history; seen, if not nil, gets the answers.
func behindFaults(t *testing.T, w *witness, seen func(*http.Response) error) (*faults.Proxy, string) {
	t.Helper()
	hub, err := url.Parse(w.server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := faults.NewProxy(&httputil.ReverseProxy{
		FlushInterval: -1, Transport: w.client.Transport,
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(hub) },
		ModifyResponse: seen,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	return proxy, serveFaults(t, proxy, w.token)
}

// serveFaults serves a proxy with faults, and returns a kubeconfig whose context is history.
func serveFaults(t *testing.T, proxy *faults.Proxy, token string) (kubeconfig string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(proxy)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(func() {
		proxy.Set(faults.Rule{Kind: faults.Cut})
		srv.CloseClientConnections()
		srv.Close()
	})
	raw, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "history",
		"contexts": []any{map[string]any{"name": "history", "context": map[string]any{"cluster": "c", "user": "u"}}},
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": srv.URL, "certificate-authority-data": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})}}},
		"users":    []any{map[string]any{"name": "u", "user": map[string]any{"token": token}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig = filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// send changes something on the hub, past the proxy.
func (th *theatre) send(method, path string, body map[string]any) (code int, answer map[string]any) {
	th.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		th.t.Fatal(err)
	}
	req, err := http.NewRequest(method, th.w.server+fleetAPI+path, bytes.NewReader(raw))
	if err != nil {
		th.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+th.w.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := th.w.client.Do(req)
	if err != nil {
		th.t.Fatal(err)
	}
	defer resp.Body.Close()
	if raw, err = io.ReadAll(resp.Body); err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil {
		th.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// advance lets one more of forty clusters of a run be done. A write of the person in
// between is a conflict, after which the newer object is taken.
func (th *theatre) advance(i int) {
	done := 0
	for _, v := range th.say.versions {
		if v.run == fmt.Sprintf("h-%d", i) {
			done = v.done + 1
		}
	}
	if done > 40 {
		return
	}
	is := func(kind, status, reason string) map[string]any {
		return map[string]any{"type": kind, "status": status, "reason": reason, "message": "as planned " + hostile, "lastTransitionTime": "2026-03-02T10:00:00Z", "observedGeneration": 1}
	}
	var clusters []any
	for n := range 40 {
		c := map[string]any{"clusterName": fmt.Sprintf("c-%02d", n)}
		if n < done {
			c["conditions"] = []any{is("Started", "True", "ClusterUpdatingStarted"), is("Succeeded", "True", "ClusterUpdatingSucceeded")}
		}
		clusters = append(clusters, c)
	}
	for {
		o := th.objects[i]
		o["status"] = map[string]any{
			"policySnapshotIndexUsed": "0", "resourceSnapshotIndexUsed": "7",
			"conditions":   []any{is("Initialized", "True", "UpdateRunInitializedSuccessfully"), is("Progressing", "True", "UpdateRunStarted")},
			"stagesStatus": []any{map[string]any{"stageName": "ring", "clusters": clusters, "conditions": []any{is("Progressing", "True", "StageUpdatingStarted")}}},
		}
		path := fmt.Sprintf("/clusterstagedupdateruns/h-%d", i)
		code, answer := th.send(http.MethodPut, path+"/status", o)
		switch code {
		case http.StatusOK:
			th.objects[i] = answer
			th.mu.Lock()
			th.say.versions = append(th.say.versions, version{time.Now(), fmt.Sprintf("h-%d", i), done})
			th.mu.Unlock()
			return
		case http.StatusConflict:
			var now map[string]any
			th.w.get(path, &now)
			th.objects[i] = now
		default:
			th.t.Fatalf("write status: %d %v", code, answer)
		}
	}
}

// noteWrite takes note of a write that the hub accepted.
func (th *theatre) noteWrite(resp *http.Response) error {
	r := resp.Request
	if r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && strings.Contains(r.URL.Path, "stagedupdateruns/") && resp.StatusCode < 300 {
		th.mu.Lock()
		defer th.mu.Unlock()
		th.say.written = append(th.say.written, stopped{time.Now(), filepath.Base(r.URL.Path)})
	}
	return nil
}

var stopDialog = regexp.MustCompile(`Stop (h-\d+) `)

// play plays a script and returns what happened.
func play(t *testing.T, steps []step) *chronicle {
	th := newTheatre(t)
	home := t.TempDir()
	s := start(t, 120, 30, []string{"XDG_STATE_HOME=" + home}, stagewatch(t), "--kubeconfig", th.kubeconfig, "--stuck-after", "20h")
	s.see(`live +\d+s +8 runs`)
	stop := eachFrame(s, func(at time.Time, screen string) {
		th.mu.Lock()
		defer th.mu.Unlock()
		th.say.frames = append(th.say.frames, readFrame(at, screen))
	})
	began := time.Now()
	for _, st := range steps {
		time.Sleep(time.Until(began.Add(st.At)))
		th.act(s, st)
	}
	th.proxy.Set()
	th.say.healed = time.Now()
	s.resize(120, 30)
	for _, k := range []string{"\x1b", "\x1b", "\x1b", ":runs\r", "\x1b", "\x1b", "__"} { // leave what is open
		s.keys(k)
		time.Sleep(200 * time.Millisecond) // esc and a letter that come together are alt and the letter
	}
	for i := range 5 { // the hub goes on
		time.Sleep(400 * time.Millisecond)
		th.advance(i)
	}
	time.Sleep(time.Until(th.say.healed.Add(recoverMost + 2*time.Second)))
	stop()
	th.say.end, th.say.screen = time.Now(), s.screen()
	leave(t, s)
	th.mu.Lock()
	defer th.mu.Unlock()
	th.say.raw = s.wroteRaw()
	raw, err := os.ReadFile(filepath.Join(home, "stagewatch", "audit.jsonl"))
	if err != nil && len(th.say.written) > 0 {
		t.Error(err)
	}
	for line := range strings.Lines(string(raw)) {
		var r told
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Error(err)
		}
		th.say.audit = append(th.say.audit, r)
	}
	return &th.say
}

// act does one step.
func (th *theatre) act(s *session, st step) {
	switch st.Kind {
	case "fault":
		if st.Arg == "" {
			th.proxy.Set()
			return
		}
		r := faults.Rule{Kind: faults.Kind(st.Arg), Of: historyOf[st.Of], For: 700 * time.Millisecond, To: "https://127.0.0.1:1/"}
		if _, err := fmt.Sscan(st.Arg, &r.Code); err == nil {
			r.Kind, r.RetryAfter = faults.Status, 1
		}
		th.proxy.Set(r)
	case "hub":
		var i int
		fmt.Sscan(st.Arg, &i)
		th.advance(i)
	case "size":
		var w, h int
		fmt.Sscanf(st.Arg, "%dx%d", &w, &h)
		s.resize(w, h)
	case "stop", "leave":
		s.keys("\x1b\x1b\x1b\x1bg" + st.Arg + "S")
		settled(s)
		m := stopDialog.FindStringSubmatch(s.screen())
		if m == nil {
			return // the guard refused it
		}
		if st.Kind == "leave" {
			s.keys("\r")
			return
		}
		th.mu.Lock()
		th.say.confirmed = append(th.say.confirmed, m[1])
		th.mu.Unlock()
		s.keys("y")
	default:
		s.keys(st.Arg)
	}
}

// eachFrame calls each with what the terminal shows, from now until stop is called. What it has not
// finished to draw is no frame.
func eachFrame(s *session, each func(at time.Time, screen string)) (stop func()) {
	over, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			s.mu.Lock()
			changed := s.changed
			s.mu.Unlock()
			at, screen := time.Now(), s.screen()
			select {
			case <-changed:
				continue
			case <-time.After(15 * time.Millisecond):
			}
			each(at, screen)
			select {
			case <-changed:
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		<-looked
	}
}
