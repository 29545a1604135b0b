package watch

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// changed lists what a user changed for good since from.
func changed(t *testing.T, h *hub.Hub, user string, from time.Time) []hub.Request {
	t.Helper()
	var out []hub.Request
	for _, r := range writes(t, h, user, from) {
		if !r.DryRun {
			out = append(out, r)
		}
	}
	return out
}

func TestDoDelete(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			st := setStage(t, shared, sc, "delete-it", Config{})
			i := st.propose(engine.ActDelete)
			// A heartbeat in between is no change of target.
			st.putStatus(st.refresh(st.run, func(o map[string]any) {
				o["status"].(map[string]any)["conditions"].([]any)[1].(map[string]any)["lastTransitionTime"] = "2026-11-20T10:00:15Z"
			}))
			from := time.Now()
			out := st.s.Do(t.Context(), i)
			if out.Result != act.ResultApplied {
				t.Fatalf("outcome %v: %v (%v)", out.Result, out.What, out.Hint)
			}
			sent := changed(t, shared, hub.AdminUser, from)
			if len(sent) != 2 || sent[0].Code != http.StatusConflict || sent[1].Code != http.StatusOK || sent[1].Name != "delete-it" {
				t.Fatalf("sent %v", sent)
			}
			var options struct {
				Preconditions struct{ UID, ResourceVersion string }
			}
			if err := json.Unmarshal(sent[1].Body, &options); err != nil {
				t.Fatal(err)
			}
			_, _, uid := st.id.Raw()
			if options.Preconditions.UID != uid || options.Preconditions.ResourceVersion == "" {
				t.Errorf("the request does not hold on to the object: %s", sent[1].Body)
			}
			until(t, st.s, "the run to go", func(s *engine.Snapshot) bool { return s.Find(st.id) == nil })
			if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "does not exist") {
				t.Errorf("again: %v: %v", out.Result, out.What)
			}
		})
	}
}

func TestDoDeleteRefuses(t *testing.T) {
	for name, meddle := range map[string]func(*stage){
		"created again": func(st *stage) {
			st.remove(st.run)
			st.make(aRun(st.t, "", "not-deleted", "not-deleted", "Run", "UpdateRunWaiting"))
		},
		"state set by somebody": func(st *stage) {
			st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], "not-deleted", Config{})
			defer func() {
				st.forget(st.run)
				st.forget(st.ask)
			}()
			i := st.propose(engine.ActDelete)
			meddle(st)
			version := st.version()
			if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused || out.What.IsZero() {
				t.Errorf("outcome %v: %v", out.Result, out.What)
			}
			if v := st.version(); v != version {
				t.Errorf("something changed: %s, then %s", version, v)
			}
		})
	}
}

func TestDoClone(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			st := setStage(t, shared, sc, "clone-it", Config{})
			i, r := act.ProposeClone(st.snapshot, st.id, act.Choice{Snapshot: named(st.snapshot, sc.runKind(), sc.ns, "clone-it").UsedSnapshot()})
			if r.Refused() {
				t.Fatal(r.Why)
			}
			from := time.Now()
			out := st.s.Do(t.Context(), i)
			if out.Result != act.ResultApplied || out.Made.IsZero() {
				t.Fatalf("outcome %v: %v (%v)", out.Result, out.What, out.Hint)
			}
			sent := changed(t, shared, hub.AdminUser, from)
			if len(sent) != 1 || sent[0].Verb != "create" {
				t.Fatalf("sent %v", sent)
			}
			want := st.refresh(st.run, func(o map[string]any) { o["metadata"].(map[string]any)["name"] = "clone-it-2" })
			got := st.get(want)
			spec := got["spec"].(map[string]any)
			if spec["placementName"] != "clone-it" || spec["stagedRolloutStrategyName"] != "s" || spec["resourceSnapshotIndex"] != "1" || spec["state"] != "Initialize" {
				t.Errorf("created %v", spec)
			}
			if _, _, uid := out.Made.Raw(); got["metadata"].(map[string]any)["uid"] != uid {
				t.Errorf("made %v, the hub has %v", out.Made, got["metadata"])
			}
			if out := st.s.Do(t.Context(), i); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "created by another user") {
				t.Errorf("again: %v: %v", out.Result, out.What)
			}
		})
	}
}

// TestDoLostClone loses the answer to a creation and to a deletion.
func TestDoLostClone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		act     engine.Act
		applies bool
		meddle  func(*stage)
		want    act.Result
	}{
		{"clone-done", engine.ActClone, true, nil, act.ResultApplied},
		{"clone-not-done", engine.ActClone, false, nil, act.ResultNotApplied},
		{"clone-by-another", engine.ActClone, false, func(st *stage) {
			st.make(aRun(st.t, "", "clone-by-another-2", "x", "Run", "UpdateRunWaiting"))
		}, act.ResultUnknown},
		{"delete-done", engine.ActDelete, true, nil, act.ResultApplied},
		{"delete-not-done", engine.ActDelete, false, nil, act.ResultNotApplied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], tt.name, Config{})
			i := st.propose(tt.act)
			var seen atomic.Int32
			onWay(t, t.Name(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					write := r.Method == http.MethodDelete || r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns")
					if !write || seen.Add(1) > 1 {
						next.ServeHTTP(w, r)
						return
					}
					if tt.applies {
						next.ServeHTTP(deaf{}, r)
					}
					if tt.meddle != nil {
						tt.meddle(st)
					}
					panic(http.ErrAbortHandler)
				})
			})
			out := st.s.Do(t.Context(), i)
			if out.Result != tt.want || tt.act == engine.ActClone && (out.Result == act.ResultApplied) == out.Made.IsZero() {
				t.Errorf("outcome %v: %v, made %v, want %v", out.Result, out.What, out.Made, tt.want)
			}
		})
	}
}

func TestRehearse(t *testing.T) {
	st := setStage(t, shared, scopes[0], "rehearsed", Config{})
	approver := openSession(t, Config{REST: shared.Config(hub.ApproverUser)})
	moving := st.refresh(st.run, func(map[string]any) {})
	for _, tt := range []struct {
		name   string
		s      *Session
		act    engine.Act
		meddle func(*testing.T)
		checks []engine.CheckState
		err    string
	}{
		// There is no such placement: the run will fail.
		{name: "approve", s: st.s, act: engine.ActApprove, checks: []engine.CheckState{engine.CheckPassed, engine.CheckPassed, engine.CheckFailed, engine.CheckFailed}},
		{name: "approve as approver", s: approver, act: engine.ActApprove, checks: []engine.CheckState{engine.CheckPassed, engine.CheckPassed, engine.CheckFailed, engine.CheckFailed}},
		{name: "stop", s: st.s, act: engine.ActStop, checks: []engine.CheckState{engine.CheckPassed, engine.CheckPassed, engine.CheckFailed, engine.CheckFailed}},
		// There is no such placement, and no such strategy.
		{name: "clone", s: st.s, act: engine.ActClone, checks: []engine.CheckState{engine.CheckPassed, engine.CheckPassed, engine.CheckFailed, engine.CheckWarning, engine.CheckFailed, engine.CheckFailed, engine.CheckWarning}},
		{name: "delete", s: st.s, act: engine.ActDelete, checks: []engine.CheckState{engine.CheckPassed, engine.CheckPassed}},
		{name: "not permitted", s: approver, act: engine.ActStop, checks: []engine.CheckState{engine.CheckFailed}, err: "you may not patch clusterstagedupdateruns on this hub"},
		{
			name: "reviews forbidden", s: st.s, act: engine.ActStop, meddle: answering(t.Name(), http.MethodPost, "selfsubjectaccessreviews", http.StatusForbidden, "no"),
			checks: []engine.CheckState{engine.CheckUnknown, engine.CheckPassed, engine.CheckFailed, engine.CheckFailed},
		},
		{
			name: "admission refuses", s: st.s, act: engine.ActStop, meddle: answering(t.Name(), http.MethodPatch, "", http.StatusForbidden, "admission webhook says no"),
			checks: []engine.CheckState{engine.CheckPassed, engine.CheckFailed}, err: "admission webhook says no",
		},
		{
			name: "invalid", s: st.s, act: engine.ActClone, meddle: answering(t.Name(), http.MethodPost, "clusterstagedupdateruns", http.StatusUnprocessableEntity, "invalid"),
			checks: []engine.CheckState{engine.CheckPassed, engine.CheckFailed}, err: "invalid",
		},
		{
			name: "no dry runs", s: st.s, act: engine.ActStop, meddle: answering(t.Name(), http.MethodPatch, "", http.StatusBadRequest, "admission webhook x does not support dry run"),
			checks: []engine.CheckState{engine.CheckPassed, engine.CheckUnknown},
		},
		{
			name: "busy", s: st.s, act: engine.ActStop, meddle: answering(t.Name(), http.MethodPatch, "", http.StatusTooManyRequests, "slow down"),
			checks: []engine.CheckState{engine.CheckPassed, engine.CheckUnknown},
		},
		{
			name: "broken", s: st.s, act: engine.ActStop, meddle: answering(t.Name(), http.MethodPatch, "", http.StatusInternalServerError, "oops"),
			checks: []engine.CheckState{engine.CheckPassed, engine.CheckUnknown},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := st.propose(tt.act)
			from := time.Now()
			if tt.meddle != nil {
				tt.meddle(t)
			}
			a := tt.s.Ask(t.Context(), page.DryRunQuestion{Intent: &i})
			var got []engine.CheckState
			for _, c := range a.Checks {
				got = append(got, c.State)
			}
			if len(got) != len(tt.checks) || len(got) > 0 && got[len(got)-1] != tt.checks[len(got)-1] || got[0] != tt.checks[0] ||
				!strings.Contains(a.Err.String(), tt.err) || a.Err.IsZero() != (tt.err == "") {
				t.Errorf("checks %v, err %q, want %v with %q", a.Checks, a.Err, tt.checks, tt.err)
			}
			if got := a.EffectOf(i); tt.name == "clone" && (len(got) != 1 || got[0] != engine.Lit("The run fails initialization: no cluster is started.")) {
				t.Errorf("the effect of a clone that fails: %q", got)
			}
			if got := a.UndoOf(i).String(); tt.name == "stop" && got != "A failed run cannot be resumed. A new run can continue the rollout." {
				t.Errorf("undo of a stop that fails the run: %q", got)
			}
			if tt.name == "clone" { // every refusal is listed, and counted
				leads := []string{"the run fails initialization, 1 of 3: ", "Placement rehearsed does not exist.", "2 of 3: ", "3 of 3: ", "Strategy s does not exist."}
				for n, lead := range leads {
					if what := a.Checks[2+n].What.String(); !strings.HasPrefix(what, lead) {
						t.Errorf("check %d is %q, want %q", 2+n, what, lead)
					}
				}
			}
			for _, user := range []string{hub.AdminUser, hub.ApproverUser} {
				if sent := changed(t, shared, user, from); len(sent) != 0 {
					t.Errorf("a rehearsal sent %v", sent)
				}
			}
		})
	}
	if now := st.get(st.run); now["metadata"].(map[string]any)["resourceVersion"] != moving["metadata"].(map[string]any)["resourceVersion"] {
		t.Error("a rehearsal changed the run")
	}
}

// TestAnApprovalNeedsTheRun holds that a run that can no longer be read is not approved,
// neither in the rehearsal nor in the write.
func TestAnApprovalNeedsTheRun(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			st := setStage(t, shared, sc, "unread", Config{REST: shared.Config(hub.ApproverUser)})
			intent := st.propose(engine.ActApprove)
			from := time.Now()
			answering(t.Name(), http.MethodGet, "/unread", http.StatusForbidden, "no")(t)
			a := st.s.Ask(t.Context(), page.DryRunQuestion{Intent: &intent})
			if a.Fault != act.FaultDenied || !strings.Contains(a.Err.String(), "403") {
				t.Errorf("the rehearsal answers %v: %v (%v)", a.Fault, a.Err, a.Hint)
			}
			out := st.s.Do(t.Context(), intent)
			if right := "get " + sc.runKind().Plural(); out.Result != act.ResultRefused || !strings.Contains(out.Hint.String(), right) {
				t.Errorf("outcome %v: %v (%v), want %q", out.Result, out.What, out.Hint, right)
			}
			if sent := changed(t, shared, hub.ApproverUser, from); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

// answering makes the way of a user agent answer requests by itself.
func answering(agent, method, suffix string, code int, message string) func(*testing.T) {
	return func(t *testing.T) {
		onWay(t, agent, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != method || !strings.HasSuffix(r.URL.Path, suffix) {
					next.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(code)
				body, err := json.Marshal(map[string]any{
					"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message, "reason": reasonOf(code),
				})
				if err == nil {
					_, err = w.Write(body)
				}
				if err != nil {
					panic(http.ErrAbortHandler)
				}
			})
		})
	}
}

func reasonOf(code int) string {
	return map[int]string{
		http.StatusForbidden: "Forbidden", http.StatusUnprocessableEntity: "Invalid", http.StatusBadRequest: "BadRequest",
		http.StatusTooManyRequests: "TooManyRequests", http.StatusInternalServerError: "InternalError",
	}[code]
}

// TestAccessIsAsked holds that the guard knows each user's rights, and asks for
// those in a namespace when something there is looked at.
func TestAccessIsAsked(t *testing.T) {
	t.Parallel()
	st := setStage(t, shared, scopes[0], "rights", Config{})
	team := setStage(t, shared, scopes[1], "rights", Config{})
	tests := []struct {
		user string
		id   engine.ID
		want map[engine.Act]engine.Grant
	}{
		{hub.AdminUser, st.id, map[engine.Act]engine.Grant{engine.ActApprove: engine.GrantYes, engine.ActDelete: engine.GrantYes}},
		{hub.ViewerUser, st.id, map[engine.Act]engine.Grant{engine.ActApprove: engine.GrantNo, engine.ActStop: engine.GrantNo, engine.ActClone: engine.GrantNo, engine.ActDelete: engine.GrantNo}},
		{hub.ApproverUser, st.id, map[engine.Act]engine.Grant{engine.ActApprove: engine.GrantYes, engine.ActStop: engine.GrantNo}},
		{hub.ApproverUser, team.id, map[engine.Act]engine.Grant{engine.ActApprove: engine.GrantYes, engine.ActStop: engine.GrantNo}},
		{hub.TenantUser, team.id, map[engine.Act]engine.Grant{engine.ActApprove: engine.GrantYes, engine.ActStop: engine.GrantYes, engine.ActDelete: engine.GrantYes}},
	}
	for _, tt := range tests {
		t.Run(tt.user+"/"+tt.id.Kind().String(), func(t *testing.T) {
			s := openSession(t, Config{REST: shared.Config(tt.user), FallbackNamespace: "team"})
			s.Want(engine.Focus{Cursor: tt.id})
			ns, _, _ := tt.id.Raw()
			snap := until(t, s, "the rights", func(s *engine.Snapshot) bool {
				for act, want := range tt.want {
					if s.Access.Of(engine.Needs(act, tt.id.Kind(), ns)) != want {
						return false
					}
				}
				return live(s)
			})
			for a, grant := range tt.want {
				_, r := act.Propose(snap, a, tt.id, snap.At)
				if no := strings.Contains(r.Why.String(), "may not"); no != (grant == engine.GrantNo) {
					t.Errorf("%v is %v: %q", a, grant, r.Why)
				}
			}
		})
	}
}

func TestAudit(t *testing.T) {
	var lines []Record
	var fail error
	st := setStage(t, shared, scopes[1], "audited", Config{
		Context: "demo", Audit: func(r Record) error { lines = append(lines, r); return fail },
	})
	i := st.propose(engine.ActApprove).WithMessage(engine.Lit("CHG-1"))
	if out := st.s.Do(t.Context(), i); out.Result != act.ResultApplied {
		t.Fatal(out.What)
	}
	if len(lines) != 2 || lines[0].Result != "sending" || lines[1].Result != "applied" {
		t.Fatalf("lines %+v", lines)
	}
	r := lines[1]
	_, _, uid := i.Target.Raw()
	if r.Context != "demo" || r.Hub != "demo" || st.id.Hub().Raw() != "demo" || r.User != hub.AdminUser || r.Action != "approve" || r.Target.UID != uid || r.Target.Generation != 1 ||
		r.Target.Namespace != "team" || r.Note != "CHG-1" || r.Run.Name != "audited" || r.Server == "" || r.Kubectl == "" {
		t.Errorf("line %+v", r)
	}
	raw, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	if token := shared.Config(hub.AdminUser).BearerToken; token == "" || strings.Contains(string(raw), token) {
		t.Error("the token is in the audit")
	}
	fail = errors.New("disk full")
	from := time.Now()
	out := st.s.Do(t.Context(), st.propose(engine.ActStop))
	if out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "disk full") || len(changed(t, shared, hub.AdminUser, from)) != 0 {
		t.Errorf("not recorded, but: %v: %v", out.Result, out.What)
	}
}

// TestDoFirstRun makes the first run of a placement, and none of one that was
// made anew since it was seen.
func TestDoFirstRun(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			kind, place := "ClusterResourcePlacement", engine.KindClusterResourcePlacement
			if sc.ns != "" {
				kind, place = "ResourcePlacement", engine.KindResourcePlacement
			}
			p := somebody(t, shared)
			p.namespace("team")
			object := fromYAML(t, `
apiVersion: %s
kind: %s
metadata: {name: first, namespace: %q}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: c}]
  policy: {placementType: PickAll}
  strategy: {type: External}
`, apiVersion, kind, sc.ns)
			p.make(object)
			s := openSession(t, Config{REST: shared.AdminConfig()})
			snap := until(t, s, "a placement without a run", func(s *engine.Snapshot) bool {
				v := named(s, place, sc.ns, "first")
				return live(s) && v != nil && v.Word == engine.WordNoRun && s.Hub.User.String() != ""
			})
			i, r := act.ProposeClone(snap, named(snap, place, sc.ns, "first").ID, act.Choice{Strategy: engine.Lit("slow")})
			if r.Refused() {
				t.Fatal(r.Why)
			}
			if a := s.Ask(t.Context(), page.DryRunQuestion{Intent: &i}); !a.Err.IsZero() || len(a.Checks) < 2 || a.Checks[0].State != engine.CheckPassed {
				t.Errorf("rehearsed: %+v", a)
			}
			from := time.Now()
			out := s.Do(t.Context(), i)
			if out.Result != act.ResultApplied || out.Made.IsZero() {
				t.Fatalf("outcome %v: %v (%v)", out.Result, out.What, out.Hint)
			}
			if sent := changed(t, shared, hub.AdminUser, from); len(sent) != 1 || sent[0].Verb != "create" {
				t.Fatalf("sent %v", sent)
			}
			got := p.get(fromYAML(t, `{apiVersion: %s, kind: %s, metadata: {name: first-r1, namespace: %q}}`, apiVersion, sc.runKind().String(), sc.ns))
			spec, notes := got["spec"].(map[string]any), got["metadata"].(map[string]any)["annotations"].(map[string]any)
			if spec["placementName"] != "first" || spec["stagedRolloutStrategyName"] != "slow" || spec["state"] != "Initialize" || notes["stagewatch.github.io/cloned-from"] != nil {
				t.Errorf("created %v", got)
			}

			p.remove(object)
			p.make(object)
			i, r = act.ProposeClone(snap, i.Run, act.Choice{Strategy: engine.Lit("slow"), Name: engine.Lit("first-r2")})
			if r.Refused() {
				t.Fatal(r.Why)
			}
			from = time.Now()
			if out := s.Do(t.Context(), i); out.Result != act.ResultRefused || len(changed(t, shared, hub.AdminUser, from)) > 0 {
				t.Errorf("of another placement: %v: %v", out.Result, out.What)
			}
		})
	}
}
