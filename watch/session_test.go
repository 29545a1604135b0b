package watch

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestSessionSeesRunsOfBothScopes(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("team")
	p.make(aRun(t, "", "both-a", "both", "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "team", "both-b", "both", "Run", "UpdateRunWaiting"))
	p.make(anApproval(t, "", "both-a", "prod"))
	p.make(anApproval(t, "team", "both-b", "prod"))

	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser), Context: "demo", User: "me"})
	snap := until(t, s, "both runs live", func(s *engine.Snapshot) bool {
		a := named(s, engine.KindClusterStagedUpdateRun, "", "both-a")
		b := named(s, engine.KindStagedUpdateRun, "team", "both-b")
		return live(s) && a != nil && b != nil && !a.Partial && !b.Partial && s.Hub.User.String() == hub.ViewerUser
	})
	for _, r := range []*engine.RunView{
		named(snap, engine.KindClusterStagedUpdateRun, "", "both-a"), named(snap, engine.KindStagedUpdateRun, "team", "both-b"),
	} {
		if r.Word != engine.WordApproval {
			t.Errorf("%v is %v, want APPROVAL", r.ID.Title(), r.Word)
		}
	}
	if !snap.WritesOff.IsZero() {
		t.Errorf("writes off while live: %v", snap.WritesOff)
	}
	// A new run, a change and a deletion come by themselves.
	c := p.make(aRun(t, "", "both-c", "both-c", "Initialize", "UpdateRunWaiting"))
	until(t, s, "the new run", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c") != nil
	})
	c = p.put(p.refresh(c, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Run" }))
	until(t, s, "state Run", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c").State.String() == "Run"
	})
	p.remove(c)
	until(t, s, "the run gone", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "both-c") == nil
	})
}

func TestSessionOfOneNamespace(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("team")
	p.namespace("other")
	for _, ns := range []string{"", "team", "other"} {
		p.make(aRun(t, ns, "one-"+ns+"x", "one", "Run", "UpdateRunWaiting"))
	}
	tests := []struct {
		name                   string
		cfg                    Config
		user                   string
		cluster, team, other   bool
		scope, note, linkState string
		err                    string
	}{
		{name: "all", user: hub.ViewerUser, cluster: true, team: true, other: true, scope: "all namespaces", linkState: "live"},
		{name: "one namespace", user: hub.ViewerUser, cfg: Config{Namespace: "team"}, cluster: true, team: true, scope: "namespace team", linkState: "live"},
		{name: "namespaced only", user: hub.ViewerUser, cfg: Config{NamespacedOnly: true}, team: true, other: true, scope: "all namespaces", linkState: "live"},
		{
			name: "all forbidden", user: hub.TenantUser, cfg: Config{FallbackNamespace: "team"}, team: true,
			scope: "namespace team (all namespaces: not permitted)", note: "cluster-scoped runs are hidden", linkState: "live",
		},
		{name: "its own", user: hub.TenantUser, cfg: Config{Namespace: "team"}, team: true, scope: "namespace team", note: "cluster-scoped runs are hidden", linkState: "live"},
		{
			name: "nothing permitted", user: hub.StrangerUser, cfg: Config{FallbackNamespace: "team"}, scope: "namespace team", linkState: "NO ACCESS",
			err: `clusterstagedupdateruns.placement.kubernetes-fleet.io is forbidden: User "stranger" cannot list resource "clusterstagedupdateruns" in API group "placement.kubernetes-fleet.io" at the cluster scope; stagedupdateruns in namespace "team", too`,
		},
		{
			name: "no cluster runs", user: hub.StrangerUser, cfg: Config{ClusterOnly: true, FallbackNamespace: "team"}, scope: "the cluster scope", linkState: "NO ACCESS",
			err: `clusterstagedupdateruns.placement.kubernetes-fleet.io is forbidden: User "stranger" cannot list resource "clusterstagedupdateruns" in API group "placement.kubernetes-fleet.io" at the cluster scope`,
		},
		{name: "not even one", user: hub.TenantUser, cfg: Config{Namespace: "other"}, scope: "namespace other", linkState: "NO ACCESS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.REST = shared.Config(tt.user)
			s := openSession(t, tt.cfg)
			snap := until(t, s, tt.linkState, func(s *engine.Snapshot) bool {
				return s.Link.State.String() == tt.linkState && (s.Complete || tt.linkState != "live") &&
					strings.Contains(s.Scope.Namespaces.String(), tt.scope)
			})
			for _, r := range []struct {
				ns   string
				want bool
			}{{"", tt.cluster}, {"team", tt.team}, {"other", tt.other}} {
				kind := scope{ns: r.ns}.runKind()
				if got := named(snap, kind, r.ns, "one-"+r.ns+"x") != nil; got != r.want {
					t.Errorf("run of namespace %q there: %v, want %v", r.ns, got, r.want)
				}
			}
			notes := engine.Join(snap.Scope.Notes, "; ").String()
			if !strings.Contains(notes, tt.note) || tt.note == "" && tt.linkState == "live" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
			if tt.err != "" && snap.Link.Err.String() != tt.err {
				t.Errorf("refused: %s\nwant %s", snap.Link.Err, tt.err)
			}
			if tt.linkState == "NO ACCESS" && (snap.Link.Err.IsZero() || snap.WritesOff.IsZero()) {
				t.Errorf("refused without a word: %v, writes off %q", snap.Link, snap.WritesOff)
			}
		})
	}
}

func TestSessionNotAccepted(t *testing.T) {
	cfg := shared.AdminConfig()
	cfg.BearerToken = "nobody"
	s := openSession(t, Config{REST: cfg})
	snap := until(t, s, "NO ACCESS", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkRefused })
	if !strings.Contains(snap.Link.Hint.String(), "log in again") {
		t.Errorf("hint %q", snap.Link.Hint)
	}
}

// TestFocusStartsAndEndsStreams follows the bindings of what is looked at.
func TestFocusStartsAndEndsStreams(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	p.namespace("team")
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			run := "focus-" + sc.name
			p.make(aRun(t, sc.ns, run, run, "Run", "UpdateRunWaiting"))
			p.make(aBinding(t, sc.ns, run, "a", run))
			p.make(aBinding(t, sc.ns, "focus-none-"+sc.name, "b", "x"))
			s := openSession(t, Config{REST: shared.AdminConfig()})
			snap := until(t, s, "the run", func(s *engine.Snapshot) bool { return live(s) && named(s, sc.runKind(), sc.ns, run) != nil })
			id := named(snap, sc.runKind(), sc.ns, run).ID
			s.Want(engine.Focus{Run: id})
			snap = until(t, s, "its bindings", func(s *engine.Snapshot) bool {
				return s.Detail != nil && s.Detail.Bindings.State == engine.CoverComplete
			})
			a, b := snap.Detail.Clusters[0][0], snap.Detail.Clusters[0][1]
			// The run has not started a: the conditions of its binding are those of
			// an earlier rollout, and in words.
			if !a.Bound || a.Foreign.IsZero() || a.BindingConditions.RolloutStarted.State != engine.BindingConditionAbsent || b.Bound {
				t.Errorf("cluster a %+v, cluster b %+v", a, b)
			}
			// What happens to a binding shows.
			p.make(aBinding(t, sc.ns, run, "b", run))
			until(t, s, "the second binding", func(s *engine.Snapshot) bool { return s.Detail.Clusters[0][1].Bound })
			bindings := world.CoverBindings(named(snap, sc.runKind(), sc.ns, run).Placement)
			if !s.in.IsOpen(bindings) {
				t.Errorf("bindings %v are there but not watched", bindings)
			}
			// Looking away ends the stream; the cursor starts it again.
			s.Want(engine.Focus{})
			eventually(t, "the stream of bindings ended", func() bool { return !s.in.IsOpen(bindings) })
			s.Want(engine.Focus{Cursor: id})
			eventually(t, "the stream of bindings started", func() bool { return s.in.IsOpen(bindings) })
		})
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for tick := time.NewTicker(5 * time.Millisecond); !ok(); {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestBrokenObjectIsShown(t *testing.T) {
	h := shared
	p := somebody(t, h)
	p.make(aRun(t, "", "whole", "whole", "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "", "torn", "torn", "Run", "UpdateRunWaiting"))
	cfg := h.AdminConfig()
	cfg.UserAgent = t.Name()
	onWay(t, t.Name(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("watch") {
				next.ServeHTTP(w, r)
				return
			}
			r.Header.Del("Accept-Encoding") // the text is replaced in it
			q := r.URL.Query()
			q.Del("resourceVersion") // or the watch may deliver the run
			r.URL.RawQuery = q.Encode()
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(answer.Code)
			w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`"placementName":"torn"`), []byte(`"placementName":[7]`)))
		})
	})
	s := openSession(t, Config{REST: cfg})
	snap := until(t, s, "both rows", func(s *engine.Snapshot) bool {
		return live(s) && named(s, engine.KindClusterStagedUpdateRun, "", "torn") != nil
	})
	if v := named(snap, engine.KindClusterStagedUpdateRun, "", "torn"); v.Word != engine.WordUnreadable {
		t.Errorf("the torn run is %v", v.Word)
	}
	if v := named(snap, engine.KindClusterStagedUpdateRun, "", "whole"); v.Word != engine.WordApproval {
		t.Errorf("the whole run is %v", v.Word)
	}
}

func TestAskYAML(t *testing.T) {
	p := somebody(t, shared)
	p.make(aRun(t, "", "yaml", "yaml", "Run", "UpdateRunWaiting"))
	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser)})
	snap := until(t, s, "the run", func(s *engine.Snapshot) bool { return named(s, engine.KindClusterStagedUpdateRun, "", "yaml") != nil })
	q := page.YAMLQuestion{Object: named(snap, engine.KindClusterStagedUpdateRun, "", "yaml").ID}
	a := s.Ask(t.Context(), q)
	text := engine.Join(a.Lines, "\n").String()
	if a.Question != q || !a.Err.IsZero() || !strings.Contains(text, "kind: ClusterStagedUpdateRun\n") || !strings.Contains(text, "\n  managedFields:\n  - ") {
		t.Errorf("answer %v %v:\n%s", a.Err, a.Hint, text)
	}
	q.Object = engine.NewID(engine.KindClusterStagedUpdateRun, "", "nowhere", "")
	if a := s.Ask(t.Context(), q); a.Err.IsZero() || a.Hint.IsZero() || a.Lines != nil {
		t.Errorf("answer about nothing: %+v", a)
	}
}
