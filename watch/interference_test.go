package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	watchact "github.com/stagewatch/stagewatch/watch/act"
)

// colleagueUser is another person with a stagewatch of their own.
const colleagueUser = "colleague"

// plot is one history: what is looked at and confirmed, what others do
// meanwhile and when, and what the way to the hub does to the requests.
type plot struct {
	scope scope
	user  string
	act   engine.Act
	// repair approves what was approved for another generation.
	repair bool
	events []change
	// rehearsal is what happens to the requests of the rehearsal; faults to
	// those of the confirmed act, one after the other.
	rehearsal fault
	faults    []fault
	confirmed bool
}

// change is something that others do, before which step: 0 is before the
// rehearsal, 1 between it and the confirmation, n+1 before the n-th request of
// the confirmed act.
type change struct {
	step int
	what string
}

// fault is what the way to the hub does to a request.
type fault struct {
	kind string
	code int
}

var (
	passes = fault{kind: "passes"}
	// faultKinds: answers the hub never gave, and answers that never came.
	faultKinds = []string{
		"refused",           // the hub answers with a code
		"lost after",        // carried out, then the connection breaks
		"lost before",       // the connection breaks
		"hangs after",       // carried out, never answered
		"hangs",             // never answered
		"late",              // carried out when nobody waits any more
		"torn",              // carried out, the answer breaks off
		"answered by proxy", // an answer of 200 that is not the hub's
	}
	faultCodes = []int{400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504}
	// benign changes nothing that a person was shown.
	benign = []string{"run heartbeat", "request heartbeat", "another run"}
	// breaking changes what they were shown.
	breaking = []string{
		"request again", "delete request", "approve", "run again", "delete run", "set state", "set state twice",
		"end run", "take the name", "colleague does the same",
	}
)

var anyFault = rapid.Custom(func(t *rapid.T) fault {
	if rapid.IntRange(0, 3).Draw(t, "healthy") > 0 {
		return passes
	}
	f := fault{kind: rapid.SampledFrom(faultKinds).Draw(t, "kind")}
	if f.kind == "refused" {
		f.code = rapid.SampledFrom(faultCodes).Draw(t, "code")
	}
	return f
})

var changes = rapid.Custom(func(t *rapid.T) change {
	e := change{step: rapid.IntRange(0, 6).Draw(t, "step")}
	if rapid.Bool().Draw(t, "breaking") {
		e.what = rapid.SampledFrom(breaking).Draw(t, "what")
	} else {
		e.what = rapid.SampledFrom(benign).Draw(t, "what")
	}
	return e
})

var plots = rapid.Custom(func(t *rapid.T) plot {
	p := plot{
		scope:     rapid.SampledFrom(scopes).Draw(t, "scope"),
		act:       rapid.SampledFrom([]engine.Act{engine.ActApprove, engine.ActApprove, engine.ActRun, engine.ActStop, engine.ActClone, engine.ActDelete}).Draw(t, "act"),
		confirmed: rapid.IntRange(0, 9).Draw(t, "confirmed") > 0,
		events:    rapid.SliceOfN(changes, 0, 3).Draw(t, "events"),
		faults:    rapid.SliceOfN(anyFault, 0, 6).Draw(t, "faults"),
		rehearsal: anyFault.Draw(t, "rehearsal"),
	}
	users := []string{hub.AdminUser}
	if p.scope.ns != "" {
		users = append(users, hub.TenantUser)
	}
	if p.act == engine.ActApprove {
		users = append(users, hub.ApproverUser)
		p.repair = rapid.IntRange(0, 3).Draw(t, "repair") == 0
	}
	p.user = rapid.SampledFrom(users).Draw(t, "user")
	if rapid.IntRange(0, 9).Draw(t, "storm") == 0 { // every write meets a conflict
		p.faults = slices.Repeat([]fault{{kind: "refused", code: http.StatusConflict}}, 8)
	}
	return p
})

// theater is where plots are played: sessions that stay, and the way to the hub.
type theater struct {
	t      *testing.T
	hub    *hub.Hub
	actors map[string]*Session
	count  int
	now    atomic.Pointer[history]
	// waiting holds what ends the wait for an answer, by request.
	waiting sync.Map
}

func newTheater(t *testing.T) *theater {
	th := &theater{t: t, hub: ownHub(t), actors: map[string]*Session{}}
	for _, user := range []string{hub.AdminUser, hub.TenantUser, hub.ApproverUser, colleagueUser} {
		cfg := Config{REST: th.hub.Config(user), FallbackNamespace: "team"}
		cfg.REST.UserAgent = user
		cfg.REST.Wrap(func(next http.RoundTripper) http.RoundTripper { return &waiter{th: th, next: next} })
		// A busy machine may take its time: only what hangs is not waited for.
		s, err := open(t.Context(), cfg, options{patience: watchact.Deadlines{Sending: time.Minute, Reading: time.Minute, Reread: time.Minute, Again: 20 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		th.actors[user] = s
	}
	th.hub.SetFaults(refusing)
	return th
}

// faultHeader tells the inside of the hub to refuse a request.
const faultHeader = "X-Test-Fault"

func refusing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.Header.Get(faultHeader))
		if err != nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "3")
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"a fault","code":%d}`, code)
	})
}

// history is a plot that is being played.
type history struct {
	plot
	stage  *stage
	name   string
	intent act.Intent
	actor  *Session
	th     *theater

	turn  sync.Mutex // held while others do something
	mu    sync.Mutex
	acted bool // the act was confirmed
	seen  int  // requests of the confirmed act
	// log is what happened in order: "get run", "get request", "write", and the
	// events of others.
	log    []string
	struck []fault // faults that a request met
	under  requests
}

// requests counts those that are under way. A request may come while others are waited
// for, which a WaitGroup does not allow.
type requests struct {
	mu sync.Mutex
	n  int
	// idle is closed when the last one ends; nil while nobody waits.
	idle chan struct{}
}

func (r *requests) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
}

func (r *requests) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

// wait waits until none is under way.
func (r *requests) wait() {
	r.mu.Lock()
	if r.n == 0 {
		r.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	r.idle = idle
	r.mu.Unlock()
	<-idle
}

// TestInterference plays histories in which others act between any two steps of
// the one who confirms, on a way that loses, refuses and delays. The oracle is
// the hub's own log and an independent reader: at most one accepted write per
// confirmation, only of what was shown and while it held, nothing without a
// confirmation, and an outcome that is true.
func TestInterference(t *testing.T) {
	t.Parallel()
	// A plot waits for snapshots most of its time: several are played at once, each on a hub of
	// its own, since the hub's log is the oracle. Under the detector it computes instead.
	hubs := 3
	if raceEnabled {
		hubs = 1
	}
	theaters := make(chan *theater, hubs)
	for range cap(theaters) {
		theaters <- newTheater(t)
	}
	play := func(t *testing.T, on judgeT, p plot) {
		th := <-theaters
		defer func() { theaters <- th }()
		th.t = t
		th.play(on, p)
	}
	for name, all := range plotsOfEach() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, p := range all {
				if raceEnabled && n%4 != 0 {
					continue // all of them are played without the detector
				}
				play(t, t, p)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) { play(t, rt, plots.Draw(rt, "plot")) })
	})
}

// plotsOfEach lists every event alone at every step that matters, every fault and
// every refusal alone at the write, and a storm of conflicts, by act.
func plotsOfEach() map[string][]plot {
	all := map[string][]plot{}
	n := 0
	for _, act := range []engine.Act{engine.ActApprove, engine.ActRun, engine.ActStop, engine.ActClone, engine.ActDelete} {
		var out []plot
		one := func() plot {
			n++
			p := plot{scope: scopes[n%2], user: hub.AdminUser, act: act, confirmed: true, rehearsal: passes}
			if act == engine.ActApprove && n%3 == 0 {
				p.user = hub.ApproverUser
			}
			return p
		}
		for _, what := range slices.Concat(benign, breaking) {
			p := one()
			p.events = []change{{step: 1 + n%3, what: what}}
			out = append(out, p)
		}
		onWrite := func(f fault) plot {
			p := one()
			p.faults = []fault{passes, passes, passes}
			switch act {
			case engine.ActApprove, engine.ActClone:
				p.faults[2] = f
			default:
				p.faults[0] = f
			}
			return p
		}
		for _, kind := range faultKinds[1:] {
			out = append(out, onWrite(fault{kind: kind}))
		}
		for _, code := range faultCodes {
			out = append(out, onWrite(fault{kind: faultKinds[0], code: code}))
		}
		if act == engine.ActRun || act == engine.ActStop {
			// Done, the answer lost, and taken back before anybody looks.
			back := onWrite(fault{kind: "lost after"})
			back.events = []change{{step: 3, what: "set state"}}
			out = append(out, back)
		}
		if act == engine.ActApprove {
			// The run ends, and the permission to read it is gone.
			blind := one()
			blind.events = []change{{step: 1, what: "end run"}}
			blind.faults = []fault{passes, {kind: faultKinds[0], code: http.StatusForbidden}}
			out = append(out, blind)
		}
		storm := one()
		storm.faults = slices.Repeat([]fault{{kind: faultKinds[0], code: http.StatusConflict}}, 8)
		all[act.String()] = append(out, storm)
	}
	return all
}

// play plays one history and judges it.
func (th *theater) play(t judgeT, p plot) {
	t.Helper()
	th.count++
	h := &history{plot: p, th: th, name: fmt.Sprintf("plot-%da", th.count), actor: th.actors[p.user]}
	h.set()
	defer h.clear()
	from := time.Now()
	th.now.Store(h)
	th.hub.SetIntercept(th.way)

	h.others(0)
	a := h.actor.Ask(th.t.Context(), page.DryRunQuestion{Intent: &h.intent})
	if len(a.Checks) == 0 && a.Err.IsZero() {
		t.Errorf("%+v: a rehearsal without a word", p)
	}
	h.others(1)
	var out act.Outcome
	h.mu.Lock()
	h.acted = p.confirmed
	h.mu.Unlock()
	if p.confirmed {
		out = h.actor.Do(th.t.Context(), h.intent)
	}
	h.under.wait()
	th.hub.SetIntercept(nil)
	h.judge(t, out, from)
}

// set makes the objects and waits until the actor sees them.
func (h *history) set() {
	t := h.th.t
	t.Helper()
	p := somebody(t, h.th.hub)
	p.namespace("team")
	state, reason := "Run", "UpdateRunWaiting"
	if h.act == engine.ActRun {
		state, reason = "Stop", "UpdateRunStopped"
	}
	st := &stage{person: p}
	st.run = p.make(aRun(t, h.scope.ns, h.name, h.name, state, reason))
	ask := anApproval(t, h.scope.ns, h.name, "prod")
	reviewed := map[string]any{"type": "Reviewed", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2026-11-20T10:00:00Z"}
	conds := []any{reviewed}
	if h.repair {
		conds = append(conds, map[string]any{"type": "Approved", "status": "True", "reason": "r", "message": "lgtm", "lastTransitionTime": "2026-11-20T10:00:00Z"})
	}
	ask["status"] = map[string]any{"conditions": conds}
	st.ask = p.make(ask)
	h.stage = st
	id := h.actor.hub.Name().ID(h.scope.runKind(), h.scope.ns, h.name, string((&unstructured.Unstructured{Object: st.run}).GetUID()))
	h.actor.Want(engine.Focus{Cursor: id})
	until(t, h.actor, "the stage is set", func(s *engine.Snapshot) bool {
		i, r := act.Propose(s, h.act, id, s.At)
		if r.Refused() || h.act == engine.ActApprove && i.Repair() != h.repair {
			return false
		}
		// What is looked at is what was made: its status was written after it.
		target := st.run
		if h.act == engine.ActApprove {
			target = st.ask
		}
		if version, _, _ := i.Seen(); version != (&unstructured.Unstructured{Object: target}).GetResourceVersion() {
			return false
		}
		h.intent = i.WithMessage(engine.Clean(h.token()))
		return true
	})
}

// token is the note of this history: nobody else writes it.
func (h *history) token() string { return "note of " + h.name }

func (h *history) clear() {
	for _, o := range []map[string]any{h.stage.run, h.stage.ask} {
		h.stage.forget(o)
	}
	for _, suffix := range []string{"-2", "-other"} {
		h.stage.forget(aRun(h.th.t, h.scope.ns, h.name+suffix, "x", "Run", "UpdateRunWaiting"))
	}
}

// way is the way of requests to the hub.
func (th *theater) way(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del(faultHeader)
		h := th.now.Load()
		if h == nil || r.UserAgent() != h.user || !h.concerned(r) {
			next.ServeHTTP(w, r)
			return
		}
		h.under.begin()
		defer h.under.end()
		h.pass(next, w, r)
	})
}

// concerned picks the requests that a person's act is made of. A placement is named like the
// run: the rehearsal reads it, an act does not, and for the screen it is read at any time.
func (h *history) concerned(r *http.Request) bool {
	switch {
	case r.Method == http.MethodPost:
		return strings.HasSuffix(r.URL.Path, "stagedupdateruns")
	case strings.HasSuffix(r.URL.Path, "placements/"+h.name):
		h.mu.Lock()
		defer h.mu.Unlock()
		return !h.acted
	}
	return strings.Contains(r.URL.Path, "/"+h.name)
}

func (h *history) pass(next http.Handler, w http.ResponseWriter, r *http.Request) {
	f := h.rehearsal
	h.mu.Lock()
	acted := h.acted
	n := h.seen
	if acted {
		h.seen++
		f = passes
		if n < len(h.faults) {
			f = h.faults[n]
		}
	}
	h.mu.Unlock()
	if acted {
		h.others(n + 2)
	}
	h.note(step(r), f)
	switch f.kind {
	case "passes":
		next.ServeHTTP(w, r)
	case "refused":
		r.Header.Set(faultHeader, strconv.Itoa(f.code))
		next.ServeHTTP(w, r)
	case "lost after":
		next.ServeHTTP(deaf{}, r)
		panic(http.ErrAbortHandler)
	case "lost before":
		panic(http.ErrAbortHandler)
	case "hangs after":
		next.ServeHTTP(deaf{}, r)
		h.th.expire(r)
	case "hangs":
		h.th.expire(r)
	case "late":
		body, err := io.ReadAll(r.Body)
		h.th.expire(r)
		if err != nil {
			return
		}
		// What held it passes it on, whether anybody waits or not.
		late := r.Clone(h.th.t.Context())
		late.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(deaf{}, late)
	case "torn":
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		if _, err := w.Write(answer.Body.Bytes()[:answer.Body.Len()/2]); err == nil {
			panic(http.ErrAbortHandler)
		}
	case "answered by proxy":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>please log in</html>")
	}
}

func (h *history) note(what string, f fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, what)
	if f != passes {
		h.struck = append(h.struck, f)
	}
}

// step names a request of an act.
func step(r *http.Request) string {
	switch {
	case r.Method != http.MethodGet:
		return "write"
	case strings.Contains(r.URL.Path, "approvalrequests"):
		return "get request"
	}
	return "get run"
}

// others does what others do before a step, one after the other: requests may overlap.
func (h *history) others(step int) {
	h.turn.Lock()
	defer h.turn.Unlock()
	for _, e := range h.events {
		if e.step == step && h.interfere(e.what) {
			h.note(e.what, passes)
		}
	}
}

// there reads an object as it is; nil when it is gone.
func (st *stage) there(o map[string]any) map[string]any {
	u := unstructured.Unstructured{Object: o}
	raw, err := answer(st.c.Get().AbsPath(st.path(o), u.GetName()).Do(st.t.Context()))
	if err != nil || u.UnmarshalJSON(raw) != nil {
		return nil
	}
	return u.Object
}

// interfere is what others do. It reports whether anything came of it.
func (h *history) interfere(what string) bool {
	st := h.stage
	run, ask := st.there(st.run), st.there(st.ask)
	switch what {
	case "another run": // the rows under the cursor move
		if st.there(aRun(st.t, h.scope.ns, h.name+"-other", "x", "Run", "x")) != nil {
			return false
		}
		st.make(aRun(st.t, h.scope.ns, h.name+"-other", "x", "Run", "UpdateRunWaiting"))
		return true
	case "take the name":
		if st.there(aRun(st.t, h.scope.ns, h.name+"-2", "x", "Run", "x")) != nil {
			return false
		}
		return st.makes(aRun(st.t, h.scope.ns, h.name+"-2", "x", "Run", "UpdateRunWaiting"))
	case "colleague does the same":
		return h.th.actors[colleagueUser].Do(st.t.Context(), h.intent.WithMessage(engine.Lit("by a colleague"))).Result == act.ResultApplied
	case "request again", "delete request", "approve", "request heartbeat":
		if ask == nil {
			return false
		}
	default:
		if run == nil {
			return false
		}
	}
	switch what {
	case "run heartbeat":
		beat(run)
		return st.writes(run, "status")
	case "request heartbeat":
		beat(ask)
		return st.writes(ask, "status")
	case "request again":
		return st.removes(ask) && st.makes(anApproval(st.t, h.scope.ns, h.name, "prod"))
	case "delete request":
		return st.removes(ask)
	case "approve":
		setCondition(ask, map[string]any{
			"type": "Approved", "status": "True", "reason": "r", "message": "by ann", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
		})
		return st.writes(ask, "status")
	case "run again":
		again := aRun(st.t, h.scope.ns, h.name, h.name, run["spec"].(map[string]any)["state"].(string), "UpdateRunWaiting")
		return st.removes(run) && st.makes(again)
	case "delete run":
		return st.removes(run)
	case "set state":
		return st.writes(toggled(run))
	case "set state twice":
		once := st.writes(toggled(run))
		run = st.there(st.run)
		return run != nil && st.writes(toggled(run)) && once
	case "end run":
		setCondition(run, map[string]any{
			"type": "Succeeded", "status": "True", "reason": "UpdateRunSucceeded", "message": "m", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
		})
		return st.writes(run, "status")
	}
	panic("unknown event " + what)
}

// writes writes an object, or a part of it, as it was read. It reports false if it was
// changed or removed since by a write that is under test: then nothing came of it.
func (st *stage) writes(o map[string]any, part ...string) bool {
	st.t.Helper()
	u := unstructured.Unstructured{Object: o}
	body, err := u.MarshalJSON()
	if err != nil {
		st.t.Fatal(err)
	}
	_, err = answer(st.c.Put().AbsPath(st.path(o), u.GetName()).Suffix(part...).SetHeader("Content-Type", "application/json").Body(body).Do(st.t.Context()))
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		st.t.Fatal(err)
	}
	return err == nil
}

// removes deletes an object. It reports false if a delete that is under test was
// faster.
func (st *stage) removes(o map[string]any) bool {
	st.t.Helper()
	u := unstructured.Unstructured{Object: o}
	_, err := answer(st.c.Delete().AbsPath(st.path(o), u.GetName()).Do(st.t.Context()))
	if err != nil && !apierrors.IsNotFound(err) {
		st.t.Error(err)
	}
	return err == nil
}

// makes creates an object. It reports false if a create that is under test has
// taken the name.
func (st *stage) makes(o map[string]any) bool {
	st.t.Helper()
	var u unstructured.Unstructured
	u.SetUnstructuredContent(o)
	body, err := u.MarshalJSON()
	if err != nil {
		st.t.Error(err)
		return false
	}
	stored, err := answer(st.c.Post().AbsPath(st.path(o)).SetHeader("Content-Type", "application/json").Body(body).Do(st.t.Context()))
	switch {
	case apierrors.IsAlreadyExists(err):
		return false
	case err == nil:
		err = u.UnmarshalJSON(stored)
	}
	if err != nil {
		st.t.Error(err)
		return false
	}
	if status, ok := o["status"]; ok {
		u.Object["status"] = status
		st.writes(u.Object, "status")
	}
	return true
}

// beat writes a sign of life of the controller.
func beat(o map[string]any) {
	setCondition(o, map[string]any{
		"type": "Beat", "status": "True", "reason": "r", "message": time.Now().String(), "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
	})
}

func setCondition(o map[string]any, cond map[string]any) {
	list, _, _ := unstructured.NestedSlice(o, "status", "conditions")
	list = slices.DeleteFunc(list, func(c any) bool { return c.(map[string]any)["type"] == cond["type"] })
	if o["status"] == nil {
		o["status"] = map[string]any{}
	}
	o["status"].(map[string]any)["conditions"] = append(list, cond)
}

func toggled(run map[string]any) map[string]any {
	spec := run["spec"].(map[string]any)
	if spec["state"] == "Run" {
		spec["state"] = "Stop"
	} else {
		spec["state"] = "Run"
	}
	return run
}

// judge compares what was told with what the hub saw and holds.
func (h *history) judge(t judgeT, out act.Outcome, from time.Time) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%+v\n%s\nlog %v\noutcome %v: %v (%v)", h.plot, fmt.Sprintf(format, args...), h.log, out.Result, out.What, out.Hint)
	}
	tried := changed(h.th.t, h.th.hub, h.user, from)
	accepted := 0
	for n, r := range tried {
		if r.Code >= 200 && r.Code < 300 {
			accepted++
		}
		if n > 1 || n == 1 && tried[0].Code != http.StatusConflict {
			bad("sent again after %d", tried[0].Code)
		}
		if why := h.shown(r); why != "" {
			bad("%s: %s %s: %s", why, r.Verb, r.URI, r.Body)
		}
	}
	if !h.confirmed {
		if len(tried) > 0 {
			bad("nobody confirmed, but %d writes", len(tried))
		}
		return
	}
	if accepted > 1 {
		bad("%d writes were accepted", accepted)
	}
	if accepted > 0 {
		if what := h.broken(); what != "" {
			bad("written although what was shown did not hold: %s", what)
		}
	}
	if out.What.IsZero() {
		bad("no word about what became of it")
	}
	mine, wanted := h.found(out)
	switch out.Result {
	case act.ResultApplied:
		if accepted == 0 && (len(h.struck) == 0 || !wanted) {
			bad("told applied, the hub accepted nothing")
		}
		if !wanted && !h.after() {
			bad("told applied, the hub holds something else")
		}
	case act.ResultRefused, act.ResultNotApplied:
		if accepted != 0 || mine {
			bad("told not done, the hub accepted %d, holds it %v", accepted, mine)
		}
	case act.ResultUnknown:
		if len(h.struck) == 0 {
			bad("unknown without a reason")
		}
	}
	if harmless(h.log) && len(h.struck) == 0 && out.Result != act.ResultApplied {
		bad("nothing was in the way")
	}
}

// harmless reports whether a log has at most one sign of life in it and nothing
// else of others.
func harmless(log []string) bool {
	beats := 0
	for _, l := range log {
		if slices.Contains(breaking, l) {
			return false
		}
		if strings.HasSuffix(l, "heartbeat") {
			beats++
		}
	}
	return beats < 2
}

// broken names what others did before the accepted write that should have kept
// it from being sent or accepted; empty when there is nothing. What happens to
// the run of an approval counts up to the last look at it, since the hub cannot
// hold one object to another.
func (h *history) broken() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.log) - 1
	for last >= 0 && h.log[last] != "write" {
		last--
	}
	looked := last
	for looked >= 0 && h.log[looked] != "get run" {
		looked--
	}
	var onTarget, onRun []string
	switch h.act {
	case engine.ActApprove:
		onTarget = []string{"request again", "delete request", "approve", "colleague does the same"}
		onRun = []string{"run again", "delete run", "set state", "end run"}
	case engine.ActRun, engine.ActStop:
		onTarget = []string{"run again", "delete run", "set state", "set state twice", "end run", "colleague does the same"}
	case engine.ActDelete:
		onTarget = []string{"run again", "delete run", "set state", "set state twice", "end run", "colleague does the same"}
	case engine.ActClone:
		onTarget = []string{"take the name", "colleague does the same"}
		onRun = []string{"run again", "delete run"}
	}
	// Who sets the state back has the run stand where it was seen.
	back := 0
	for _, l := range h.log[:looked+1] {
		if l == "set state" {
			back++
		}
	}
	if h.act == engine.ActApprove && back%2 == 0 {
		onRun = slices.DeleteFunc(onRun, func(s string) bool { return s == "set state" })
	}
	for n, l := range h.log[:last+1] {
		if slices.Contains(onTarget, l) || n <= looked && slices.Contains(onRun, l) {
			return l
		}
	}
	return ""
}

// after reports whether others did something breaking after the last write.
func (h *history) after() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := len(h.log) - 1; n >= 0 && h.log[n] != "write"; n-- {
		if slices.Contains(breaking, h.log[n]) {
			return true
		}
	}
	return false
}

// found asks an independent reader: is what the act brings about there, and is
// it certain that it is of this act.
func (h *history) found(out act.Outcome) (mine, wanted bool) {
	st := h.stage
	switch h.act {
	case engine.ActApprove:
		ask := st.there(st.ask)
		if ask == nil {
			return false, false
		}
		conds := conditions(ask)
		a := conds["Approved"]
		message, _ := a["message"].(string)
		mine = strings.Contains(message, h.token())
		return mine, mine && number(a["observedGeneration"]) == number(ask["metadata"].(map[string]any)["generation"]) && conds["Reviewed"] != nil
	case engine.ActRun, engine.ActStop:
		run := st.there(st.run)
		if run == nil {
			return false, false
		}
		return false, run["spec"].(map[string]any)["state"] == h.intent.WantState()
	case engine.ActDelete:
		run := st.there(st.run)
		return false, run == nil || run["metadata"].(map[string]any)["uid"] != st.run["metadata"].(map[string]any)["uid"]
	case engine.ActClone:
		made := st.there(aRun(st.t, h.scope.ns, h.name+"-2", "x", "Run", "x"))
		if made == nil {
			return false, false
		}
		_, _, uid := out.Made.Raw()
		return made["spec"].(map[string]any)["placementName"] == h.name && uid != "", made["metadata"].(map[string]any)["uid"] == uid
	}
	return false, false
}

// shown says what a request has in it that the person was not shown; empty when
// there is nothing.
func (h *history) shown(r hub.Request) string {
	i := h.intent
	ns, name, uid := i.Target.Raw()
	if r.Namespace != ns || r.Resource != i.Target.Kind().Plural() || r.Name != name && r.Verb != "create" {
		return "on another object"
	}
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return "a body that is not JSON"
	}
	at := func(path ...string) string {
		v, _, _ := unstructured.NestedString(body, path...)
		return v
	}
	keys := func(path ...string) int {
		m, _, _ := unstructured.NestedMap(body, path...)
		return len(m)
	}
	switch {
	case h.act == engine.ActApprove && r.Verb+r.Subresource == "updatestatus":
		if at("metadata", "uid") != uid || at("metadata", "resourceVersion") == "" {
			return "does not hold on to the object"
		}
		conds := conditions(body)
		if conds["Reviewed"] == nil || !strings.Contains(conds["Approved"]["message"].(string), h.token()) {
			return "other conditions, or another note"
		}
	case (h.act == engine.ActRun || h.act == engine.ActStop) && r.Verb+r.Subresource == "patch":
		if len(body) != 2 || keys("metadata") != 1 || keys("spec") != 1 || at("spec", "state") != i.WantState() || at("metadata", "resourceVersion") == "" {
			return "changes something else"
		}
	case h.act == engine.ActDelete && r.Verb+r.Subresource == "delete":
		if at("preconditions", "uid") != uid || at("preconditions", "resourceVersion") == "" {
			return "does not hold on to the object"
		}
	case h.act == engine.ActClone && r.Verb+r.Subresource == "create":
		want, place, strategy, index, state := i.Create()
		if at("metadata", "name") != want || at("metadata", "namespace") != ns || at("spec", "placementName") != place ||
			at("spec", "stagedRolloutStrategyName") != strategy || at("spec", "resourceSnapshotIndex") != index || at("spec", "state") != state {
			return "another run"
		}
	default:
		return "another request"
	}
	return ""
}

// TestTwoPeopleApproveAtOnce checks that of two concurrent approvals one is
// applied and the other is rejected with its author (docs/promises.md#i23).
func TestTwoPeopleApproveAtOnce(t *testing.T) {
	for round := range 5 {
		name := fmt.Sprintf("two-%d", round)
		a := setStage(t, shared, scopes[1], name, Config{})
		b := openSession(t, Config{REST: shared.Config(hub.TenantUser), Namespace: "team", NamespacedOnly: true})
		intent := a.propose(engine.ActApprove)
		from := time.Now()
		var outcomes [2]act.Outcome
		var work sync.WaitGroup
		for n, s := range []*Session{a.s, b} {
			work.Go(func() { outcomes[n] = s.Do(t.Context(), intent) })
		}
		work.Wait()
		applied, accepted := 0, 0
		for _, o := range outcomes {
			if o.Result == act.ResultApplied {
				applied++
			} else if o.Result != act.ResultRefused || !strings.Contains(o.What.String(), "approved by another user: approved by") {
				t.Errorf("the loser is told %v: %v", o.Result, o.What)
			}
		}
		for _, user := range []string{hub.AdminUser, hub.TenantUser} {
			for _, r := range changed(t, shared, user, from) {
				if r.Code == http.StatusOK && r.Resource == "approvalrequests" {
					accepted++
				}
			}
		}
		if applied != 1 || accepted != 1 {
			t.Errorf("%d applied, the hub accepted %d", applied, accepted)
		}
		a.forget(a.run)
		a.forget(a.ask)
	}
}

// judgeT is what a history needs of a test or of one of rapid's.
type judgeT interface {
	Helper()
	Errorf(format string, args ...any)
}
