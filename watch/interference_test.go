package watch

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// plot is one history: what is confirmed, what somebody else does meanwhile,
// when, and what the way to the hub does to the request.
type plot struct {
	act    engine.Act
	meddle string
	// step is before which request of the acting one the other acts; 0 is
	// between the look and the confirmation.
	step  int
	fault int // status that is answered in place of the hub's; 0: none
	lost  bool
}

var plots = rapid.Custom(func(t *rapid.T) plot {
	return plot{
		act:    rapid.SampledFrom([]engine.Act{engine.ActApprove, engine.ActStop, engine.ActClone, engine.ActDelete}).Draw(t, "act"),
		meddle: rapid.SampledFrom([]string{"nothing", "heartbeat", "storm", "run again", "request again", "approve", "stop", "delete run", "delete request", "take the name"}).Draw(t, "meddle"),
		step:   rapid.IntRange(0, 3).Draw(t, "step"),
		fault:  rapid.SampledFrom([]int{0, 0, 0, 0, 401, 403, 409, 422, 429, 500}).Draw(t, "fault"),
		lost:   rapid.IntRange(0, 4).Draw(t, "lost") == 0,
	}
})

// TestInterference plays histories in which another client acts between any two
// steps of the one who confirmed. The oracle is what the hub itself saw: at most
// one accepted write, only on what was shown, and the outcome told is true.
func TestInterference(t *testing.T) {
	cfg := shared.Config(hub.TenantUser)
	cfg.UserAgent = "acting"
	var histories []plot
	for _, meddle := range []string{"run again", "request again", "approve", "stop"} {
		for _, act := range []engine.Act{engine.ActApprove, engine.ActStop, engine.ActClone, engine.ActDelete} {
			histories = append(histories, plot{act: act, meddle: meddle}, plot{act: act, meddle: meddle, step: 1})
		}
	}
	for seed := range 40 {
		histories = append(histories, plots.Example(seed))
	}
	for seed, p := range histories {
		t.Run(fmt.Sprintf("%02d %v %s at %d, %d %v", seed, p.act, p.meddle, p.step, p.fault, p.lost), func(t *testing.T) {
			name := fmt.Sprintf("plot-%da", seed)
			st := setStage(t, shared, scopes[1], name, Config{REST: cfg, Namespace: "team", NamespacedOnly: true})
			i := st.propose(p.act)
			var once sync.Once
			meddle := func() { once.Do(func() { st.interfere(p.meddle, name) }) }
			if p.step == 0 {
				meddle()
			}
			from := time.Now()
			shared.SetIntercept(st.way(p, meddle))
			out := st.s.Do(t.Context(), i)
			shared.SetIntercept(nil)
			st.judge(p, i, out, from)
			for _, o := range []map[string]any{st.run, st.ask} {
				st.forget(o)
			}
			if p.act == engine.ActClone || p.meddle == "take the name" {
				st.forget(aRun(t, "team", name+"-2", "x", "Run", "UpdateRunWaiting"))
			}
		})
	}
}

// way is the way to the hub of the acting client: the other one acts before
// request number step, and writes meet the fault.
func (st *stage) way(p plot, meddle func()) func(http.Handler) http.Handler {
	var mu sync.Mutex
	seen := 0
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			write := slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method) ||
				r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/stagedupdateruns")
			byName := r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/plot-")
			if r.UserAgent() != "acting" || !write && !byName {
				next.ServeHTTP(w, r)
				return
			}
			mu.Lock()
			seen++
			n := seen
			mu.Unlock()
			if n == p.step || p.meddle == "storm" && write {
				meddle()
				if p.meddle == "storm" {
					st.beat()
				}
			}
			switch {
			case write && p.lost:
				next.ServeHTTP(deaf{}, r)
				panic(http.ErrAbortHandler)
			case write && p.fault != 0:
				w.WriteHeader(p.fault)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

// beat writes the controller's heartbeat into the run, if it is there.
func (st *stage) beat() {
	var u unstructured.Unstructured
	raw, err := answer(st.c.Get().AbsPath(st.path(st.run), st.name()).Do(st.t.Context()))
	if err != nil || u.UnmarshalJSON(raw) != nil {
		return
	}
	u.SetAnnotations(map[string]string{"beat": time.Now().String()})
	st.put(u.Object)
}

func (st *stage) name() string { return (&unstructured.Unstructured{Object: st.run}).GetName() }

// interfere is what the other client does.
func (st *stage) interfere(what, name string) {
	switch what {
	case "nothing":
	case "heartbeat", "storm":
		st.beat()
	case "run again":
		st.remove(st.run)
		st.make(aRun(st.t, "team", name, name, "Run", "UpdateRunWaiting"))
	case "request again":
		st.remove(st.ask)
		st.make(anApproval(st.t, "team", name, "prod"))
	case "approve":
		st.putStatus(st.refresh(st.ask, func(o map[string]any) {
			o["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Approved", "status": "True", "reason": "r", "message": "by ann", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
			}}}
		}))
	case "stop":
		st.put(st.refresh(st.run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
	case "delete run":
		st.remove(st.run)
	case "delete request":
		st.remove(st.ask)
	case "take the name":
		st.make(aRun(st.t, "team", name+"-2", "x", "Run", "UpdateRunWaiting"))
	}
}

// judge compares what was told with what the hub saw.
func (st *stage) judge(p plot, i engine.Intent, out engine.Outcome, from time.Time) {
	t := st.t
	t.Helper()
	tried := writes(t, shared, hub.TenantUser, from)
	accepted := 0
	for n, r := range tried {
		ns, name, uid := i.Target.Raw()
		if r.DryRun || r.Namespace != ns || r.Resource != i.Target.Kind().Plural() || r.Name != name && r.Verb != "create" {
			t.Errorf("sent something that was not shown: %+v", r)
		}
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		held, _, _ := unstructured.NestedString(body, "metadata", "uid")
		want, sub := "", ""
		switch p.act {
		case engine.ActApprove:
			want, sub = "update", "status"
		case engine.ActStop:
			want = "patch"
			held = uid // held by its resourceVersion
			if v, _, _ := unstructured.NestedString(body, "metadata", "resourceVersion"); v == "" {
				t.Error("a patch that holds on to nothing")
			}
		case engine.ActDelete:
			want = "delete"
			held, _, _ = unstructured.NestedString(body, "preconditions", "uid")
		case engine.ActClone:
			want = "create"
		}
		if r.Verb != want || r.Subresource != sub || held != uid {
			t.Errorf("%v sent %s %s/%s for UID %q, shown was %q", p.act, r.Verb, r.Resource, r.Subresource, held, uid)
		}
		if r.Code >= 200 && r.Code < 300 {
			accepted++
		}
		if n > 1 || n == 1 && tried[0].Code != http.StatusConflict {
			t.Errorf("sent again after %d", tried[0].Code)
		}
	}
	if accepted > 1 {
		t.Errorf("%d writes were accepted", accepted)
	}
	switch out.Result {
	case engine.ResultApplied:
		if accepted != 1 {
			// An answer was lost and somebody else brought the same about.
			if !p.lost && p.fault != http.StatusInternalServerError {
				t.Errorf("told applied (%v), the hub accepted %d", out.What, accepted)
			}
		}
	case engine.ResultRefused, engine.ResultNotApplied:
		if accepted != 0 {
			t.Errorf("told %v (%v), the hub accepted %d", out.Result, out.What, accepted)
		}
	case engine.ResultUnknown:
		if !p.lost && p.fault < 500 {
			t.Errorf("unknown without a reason: %v", out.What)
		}
	}
	if out.What.IsZero() {
		t.Error("no word about what became of it")
	}
	allowed(t, hub.TenantUser, from)
}

// allowed checks every request of a user against the list of what may leave the
// program: reads, reviews, rehearsals, and the writes of the acts.
func allowed(t *testing.T, user string, from time.Time) {
	t.Helper()
	all, err := shared.Requests(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.User != user || r.At.Before(from) || slices.Contains([]string{"get", "list", "watch"}, r.Verb) || r.DryRun {
			continue
		}
		key := strings.TrimPrefix(r.Verb+" "+strings.TrimPrefix(r.Resource, "cluster")+"/"+r.Subresource, " ")
		if !slices.Contains([]string{
			"create selfsubjectreviews/", "create selfsubjectaccessreviews/",
			"update approvalrequests/status", "patch stagedupdateruns/", "create stagedupdateruns/", "delete stagedupdateruns/",
		}, key) {
			t.Errorf("%s is not on the list: %s", key, r.URI)
		}
	}
}

// TestTwoPeopleApproveAtOnce holds promise I23: one approval counts, and the
// other person is told whose.
func TestTwoPeopleApproveAtOnce(t *testing.T) {
	for round := range 5 {
		name := fmt.Sprintf("two-%d", round)
		a := setStage(t, shared, scopes[1], name, Config{})
		b := openSession(t, Config{REST: shared.Config(hub.TenantUser), Namespace: "team", NamespacedOnly: true})
		intent := a.propose(engine.ActApprove)
		from := time.Now()
		var outcomes [2]engine.Outcome
		var work sync.WaitGroup
		for n, s := range []*Session{a.s, b} {
			work.Go(func() { outcomes[n] = s.Do(t.Context(), intent) })
		}
		work.Wait()
		applied, accepted := 0, 0
		for _, o := range outcomes {
			if o.Result == engine.ResultApplied {
				applied++
			} else if o.Result != engine.ResultRefused || !strings.Contains(o.What.String(), "approved by somebody else meanwhile: approved by") {
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
