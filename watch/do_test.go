package watch

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// scope is one of the two in which everything has to work.
type scope struct{ name, ns string }

var scopes = []scope{{"cluster", ""}, {"namespaced", "team"}}

func (s scope) runKind() engine.Kind {
	if s.ns != "" {
		return engine.KindStagedUpdateRun
	}
	return engine.KindClusterStagedUpdateRun
}

// stage is a run with an open approval and a session that sees both. The user agent of the
// session is the name of the test.
type stage struct {
	person
	s        *Session
	run, ask map[string]any
	snapshot *engine.Snapshot
	id       engine.ID
}

func setStage(t *testing.T, h *hub.Hub, sc scope, name string, cfg Config) *stage {
	t.Helper()
	p := somebody(t, h)
	p.namespace("team")
	st := &stage{person: p}
	st.run = p.make(aRun(t, sc.ns, name, name, "Run", "UpdateRunWaiting"))
	st.ask = p.make(anApproval(t, sc.ns, name, "prod"))
	if cfg.REST == nil {
		cfg.REST = h.AdminConfig()
	}
	cfg.REST.UserAgent = t.Name()
	st.s = openSession(t, cfg)
	// The first lists may have any state: the request may come after them.
	st.snapshot = until(t, st.s, "an open approval", func(s *engine.Snapshot) bool {
		v := named(s, sc.runKind(), sc.ns, name)
		return live(s) && v != nil && v.Word == engine.WordApproval && v.Gate(engine.GateOpen).Seen != nil && s.Hub.User.String() != ""
	})
	st.id = named(st.snapshot, sc.runKind(), sc.ns, name).ID
	return st
}

func (st *stage) propose(a engine.Act) act.Intent {
	st.t.Helper()
	i, r := act.Propose(st.snapshot, a, st.id, st.snapshot.At)
	if r.Refused() {
		st.t.Fatalf("%v was refused: %v", a, r.Why)
	}
	return i
}

// writes lists what changed something on the hub since from, of one user.
func writes(t *testing.T, h *hub.Hub, user string, from time.Time) []hub.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	all, err := h.Requests(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r hub.Request) bool {
		return !r.Mutating() || r.User != user || r.At.Before(from)
	})
}

func conditions(o map[string]any) map[string]map[string]any {
	list, _, _ := unstructured.NestedSlice(o, "status", "conditions")
	out := map[string]map[string]any{}
	for _, c := range list {
		out[c.(map[string]any)["type"].(string)] = c.(map[string]any)
	}
	return out
}

func number(v any) float64 {
	f, _ := v.(float64)
	return f
}

func TestDoApprove(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			st := setStage(t, shared, sc, "approve-it", Config{REST: shared.Config(hub.ApproverUser)})
			// A condition that somebody else keeps there must survive.
			st.ask = st.putStatus(st.refresh(st.ask, func(o map[string]any) {
				o["status"] = map[string]any{"conditions": []any{map[string]any{
					"type": "Reviewed", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2026-11-20T10:00:00Z",
				}}}
			}))
			from := time.Now()
			out := st.s.Do(t.Context(), st.propose(engine.ActApprove).WithMessage(engine.Lit("looks good")))
			if out.Result != act.ResultApplied {
				t.Fatalf("outcome %v: %v (%v)", out.Result, out.What, out.Hint)
			}
			got := st.get(st.ask)
			conds := conditions(got)
			a := conds["Approved"]
			if a["status"] != "True" || number(a["observedGeneration"]) != 1 || a["message"] != "approved by approver with stagewatch: looks good" {
				t.Errorf("Approved is %v", a)
			}
			if conds["Reviewed"] == nil || len(conds) != 2 {
				t.Errorf("conditions are %v", slices.Collect(maps.Keys(conds)))
			}
			sent := writes(t, shared, hub.ApproverUser, from)
			if len(sent) != 1 || sent[0].Verb != "update" || sent[0].Subresource != "status" || sent[0].Name != "approve-it-before-prod" {
				t.Errorf("sent %v", sent)
			}
			var body map[string]any
			if err := json.Unmarshal(sent[0].Body, &body); err != nil {
				t.Fatal(err)
			}
			if meta := body["metadata"].(map[string]any); meta["uid"] != got["metadata"].(map[string]any)["uid"] || meta["resourceVersion"] == "" {
				t.Errorf("the request does not hold on to the object: %v", meta)
			}
			// The second time there is nothing to do.
			if out := st.s.Do(t.Context(), st.propose(engine.ActApprove)); out.Result != act.ResultRefused {
				t.Errorf("second approval: %v: %v", out.Result, out.What)
			}
			if n := len(writes(t, shared, hub.ApproverUser, from)); n != 1 {
				t.Errorf("%d writes after the second approval", n)
			}
		})
	}
}

func TestDoRepairsApproval(t *testing.T) {
	st := setStage(t, shared, scopes[0], "repair", Config{})
	st.putStatus(st.refresh(st.ask, func(o map[string]any) {
		o["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Approved", "status": "True", "reason": "r", "message": "lgtm", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 0,
		}}}
	}))
	// Seen as an open approval, it is not the same any more.
	if out := st.s.Do(t.Context(), st.propose(engine.ActApprove)); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "another user") {
		t.Errorf("approving what was approved meanwhile: %v: %v", out.Result, out.What)
	}
	st.snapshot = until(t, st.s, "NOT ACCEPTED", func(s *engine.Snapshot) bool { return s.Find(st.id).Word == engine.WordNotAccepted })
	if out := st.s.Do(t.Context(), st.propose(engine.ActApprove)); out.Result != act.ResultApplied {
		t.Fatalf("repair: %v: %v", out.Result, out.What)
	}
	if a := conditions(st.get(st.ask))["Approved"]; number(a["observedGeneration"]) != 1 {
		t.Errorf("repaired to %v", a)
	}
}

func TestDoState(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			st := setStage(t, shared, sc, "state-it", Config{})
			stop := st.propose(engine.ActStop)
			// The controller writes its heartbeat in between: not a change of target.
			before := st.putStatus(st.refresh(st.run, func(o map[string]any) {
				o["status"].(map[string]any)["conditions"].([]any)[1].(map[string]any)["lastTransitionTime"] = "2026-11-20T10:00:15Z"
			}))
			from := time.Now()
			out := st.s.Do(t.Context(), stop)
			if out.Result != act.ResultApplied {
				t.Fatalf("stop: %v: %v", out.Result, out.What)
			}
			after := st.get(st.run)
			if after["spec"].(map[string]any)["state"] != "Stop" {
				t.Errorf("spec is %v", after["spec"])
			}
			a, _ := json.Marshal(after["status"])
			b, _ := json.Marshal(before["status"])
			if string(a) != string(b) {
				t.Errorf("the status was touched:\n%s\n%s", b, a)
			}
			sent := slices.DeleteFunc(writes(t, shared, hub.AdminUser, from), func(r hub.Request) bool { return r.Verb != "patch" })
			if len(sent) != 2 || sent[0].Code != http.StatusConflict || sent[1].Code != http.StatusOK {
				t.Errorf("sent %v", sent)
			}
			for _, r := range sent {
				var body map[string]map[string]any
				if err := json.Unmarshal(r.Body, &body); err != nil {
					t.Fatal(err)
				}
				if len(body) != 2 || len(body["spec"]) != 1 || body["spec"]["state"] != "Stop" || len(body["metadata"]) != 1 || body["metadata"]["resourceVersion"] == "" {
					t.Errorf("the patch is %s", r.Body)
				}
			}
		})
	}
}

// TestDoRefuses changes the world between the look and the key.
func TestDoRefuses(t *testing.T) {
	tests := []struct {
		name   string
		act    engine.Act
		meddle func(*stage)
		says   string
	}{
		{"state set by somebody", engine.ActStop, func(st *stage) {
			st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
		}, "was changed to "},
		{"stopped and run again", engine.ActStop, func(st *stage) {
			st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
			st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Run" }))
		}, "generation 3, shown was 1"},
		{"run made again", engine.ActStop, func(st *stage) {
			st.remove(st.run)
			st.make(aRun(st.t, "", "meddled", "meddled", "Run", "UpdateRunWaiting"))
		}, "deleted and created again"},
		{"run gone", engine.ActStop, func(st *stage) { st.remove(st.run) }, "does not exist"},
		{"run ended", engine.ActStop, func(st *stage) { st.end() }, "has ended"},
		{"approved by somebody", engine.ActApprove, func(st *stage) {
			st.putStatus(st.refresh(st.ask, func(o map[string]any) {
				o["status"] = map[string]any{"conditions": []any{map[string]any{
					"type": "Approved", "status": "True", "reason": "r", "message": "by ann", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
				}}}
			}))
		}, "approved by another user: by ann"},
		{"request made again", engine.ActApprove, func(st *stage) {
			st.remove(st.ask)
			st.make(anApproval(st.t, "", "meddled", "prod"))
		}, "deleted and created again"},
		{"request gone", engine.ActApprove, func(st *stage) { st.remove(st.ask) }, "does not exist"},
		{"approve: run ended", engine.ActApprove, func(st *stage) { st.end() }, "has ended"},
		{"approve: run stopped", engine.ActApprove, func(st *stage) {
			st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
		}, "was changed to Stop"},
		{"approve: run made again", engine.ActApprove, func(st *stage) {
			st.remove(st.run)
			st.make(aRun(st.t, "", "meddled", "meddled", "Run", "UpdateRunWaiting"))
		}, "deleted and created again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], "meddled", Config{})
			defer func() {
				st.forget(st.run)
				st.forget(st.ask)
			}()
			i := st.propose(tt.act)
			tt.meddle(st)
			version := st.version()
			out := st.s.Do(t.Context(), i)
			if out.Result != act.ResultRefused || !strings.Contains(out.What.String(), tt.says) {
				t.Errorf("outcome %v: %q, want refused with %q", out.Result, out.What, tt.says)
			}
			if v := st.version(); v != version {
				t.Errorf("something was written: versions %s, then %s", version, v)
			}
		})
	}
}

// end writes that the run has succeeded.
func (st *stage) end() {
	st.putStatus(st.refresh(st.run, func(o map[string]any) {
		conds := o["status"].(map[string]any)["conditions"].([]any)
		o["status"].(map[string]any)["conditions"] = append(conds, map[string]any{
			"type": "Succeeded", "status": "True", "reason": "UpdateRunSucceeded", "message": "m", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
		})
	}))
}

// version returns the versions of both objects as they are now.
func (st *stage) version() string {
	out := ""
	for _, o := range []map[string]any{st.run, st.ask} {
		u := unstructured.Unstructured{Object: o}
		raw, err := answer(st.c.Get().AbsPath(st.path(o), u.GetName()).Do(context.Background()))
		if err != nil {
			out += "/gone"
			continue
		}
		if err := u.UnmarshalJSON(raw); err != nil {
			st.t.Fatal(err)
		}
		out += "/" + string(u.GetUID()) + ":" + u.GetResourceVersion()
	}
	return out
}

// forget removes an object that may be gone already.
func (st *stage) forget(o map[string]any) {
	u := unstructured.Unstructured{Object: o}
	if err := st.c.Delete().AbsPath(st.path(o), u.GetName()).Do(context.Background()).Error(); err != nil && !apierrors.IsNotFound(err) {
		st.t.Error(err)
	}
}

func TestDoNotPermitted(t *testing.T) {
	st := setStage(t, shared, scopes[0], "viewed", Config{})
	viewer := openSession(t, Config{REST: shared.Config(hub.ViewerUser)})
	for a, right := range map[engine.Act]string{
		engine.ActStop: "patch clusterstagedupdateruns", engine.ActApprove: "update clusterapprovalrequests/status",
		engine.ActClone: "create clusterstagedupdateruns", engine.ActDelete: "delete clusterstagedupdateruns",
	} {
		// The guard would refuse the viewer; the hub has to, too.
		out := viewer.Do(t.Context(), st.propose(a))
		if out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "403") || !strings.Contains(out.Hint.String(), right) {
			t.Errorf("%v: %v: %q (%q)", a, out.Result, out.What, out.Hint)
		}
	}
}

func TestDoReadOnly(t *testing.T) {
	st := setStage(t, shared, scopes[0], "readonly", Config{})
	i := st.propose(engine.ActStop)
	from := time.Now()
	s := openSession(t, Config{REST: shared.Config(hub.ApproverUser), Settings: engine.Settings{ReadOnly: engine.Lit("--read-only")}})
	if out := s.Do(t.Context(), i); out.Result != act.ResultRefused || out.What.String() != "--read-only" {
		t.Errorf("outcome %v: %v", out.Result, out.What)
	}
	if sent := writes(t, shared, hub.ApproverUser, from); len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
}

// TestDoLostAnswer cuts the connection instead of the hub's answer.
func TestDoLostAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		act     engine.Act
		applies bool // the hub carries it out before the answer is lost
		want    act.Result
	}{
		{"stop-done", engine.ActStop, true, act.ResultApplied},
		{"stop-not-done", engine.ActStop, false, act.ResultNotApplied},
		{"approve-done", engine.ActApprove, true, act.ResultApplied},
		{"approve-not-done", engine.ActApprove, false, act.ResultNotApplied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], tt.name, Config{})
			i := st.propose(tt.act)
			var seen atomic.Int32
			onWay(t, t.Name(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPatch && r.Method != http.MethodPut {
						next.ServeHTTP(w, r)
						return
					}
					seen.Add(1)
					if tt.applies {
						next.ServeHTTP(deaf{}, r)
					}
					panic(http.ErrAbortHandler)
				})
			})
			out := st.s.Do(t.Context(), i)
			if out.Result != tt.want {
				t.Errorf("outcome %v: %v, want %v", out.Result, out.What, tt.want)
			}
			if n := seen.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

// deaf takes an answer and passes nothing on.
type deaf struct{}

func (deaf) Header() http.Header         { return http.Header{} }
func (deaf) Write(b []byte) (int, error) { return len(b), nil }
func (deaf) WriteHeader(int)             {}

func TestDoBusyAndBroken(t *testing.T) {
	tests := []struct {
		name string
		code int
		want act.Result
		says string
	}{
		{"busy", http.StatusTooManyRequests, act.ResultRefused, "429"},
		{"internal error", http.StatusInternalServerError, act.ResultNotApplied, "the API server returned an error (Internal Server Error)"},
		{"invalid", http.StatusUnprocessableEntity, act.ResultRefused, "the API server rejected the request"},
		{"unauthenticated", http.StatusUnauthorized, act.ResultRefused, "401"},
	}
	st := setStage(t, shared, scopes[0], "busy", Config{})
	agent := t.Name()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen atomic.Int32
			onWay(t, agent, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPatch {
						next.ServeHTTP(w, r)
						return
					}
					seen.Add(1)
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(tt.code)
				})
			})
			out := st.s.Do(t.Context(), st.propose(engine.ActStop))
			if out.Result != tt.want || !strings.Contains(out.What.String(), tt.says) {
				t.Errorf("outcome %v: %q, want %v with %q", out.Result, out.What, tt.want, tt.says)
			}
			if n := seen.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}
