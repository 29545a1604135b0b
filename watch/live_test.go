package watch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

func TestOpenLive(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	p.make(aRun(t, "", "live", "live", "Run", "UpdateRunWaiting"))
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	there := shared.Config(hub.ApproverUser)
	there.UserAgent = t.Name()
	tests := []struct {
		name  string
		rest  *rest.Config
		limit time.Duration
		want  error
	}{
		{name: "there", rest: there},
		{name: "nobody listens", rest: &rest.Config{Host: "http://" + closedPort(t)}, want: ErrUnreachable},
		{name: "no CRDs", rest: &rest.Config{Host: missing.URL}, want: ErrNotServed},
		{name: "no answer within the limit", rest: &rest.Config{Host: silent.URL}, limit: 300 * time.Millisecond, want: context.DeadlineExceeded},
		{name: "no rights", rest: shared.Config(hub.StrangerUser), want: ErrForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from := time.Now()
			s, snap, err := OpenLive(t.Context(), Config{REST: tt.rest, User: "as the kubeconfig says"}, tt.limit)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err != nil {
				var once *OnceError
				if s != nil || tt.limit == 0 && (!errors.As(err, &once) || once.Hint.IsZero()) {
					t.Errorf("a session %v, and %#v", s != nil, err)
				}
				return
			}
			defer s.Close()
			if !live(snap) || named(snap, engine.KindClusterStagedUpdateRun, "", "live") == nil {
				t.Errorf("snapshot %s", describe(snap))
			}
			if got := snap.Hub.User.String(); got != hub.ApproverUser || s.who() != hub.ApproverUser {
				t.Errorf("the person is %q and %q", got, s.who())
			}
			// The whole objects, once, and the printed table if loading takes long; then whether
			// the hub has gone back since.
			lists, tables, checks := 0, 0, 0
			eventually(t, "the check", func() bool {
				all, err := shared.Requests(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				lists, tables, checks = 0, 0, 0
				for _, r := range all {
					switch {
					case r.Agent != there.UserAgent || r.Verb != "list" || r.Resource != "clusterstagedupdateruns" || r.At.Before(from):
					case strings.HasSuffix(r.URI, "?limit=2"):
						checks++
					case strings.Contains(r.URI, "includeObject="):
						tables++
					default:
						lists++
					}
				}
				return checks > 0
			})
			if lists != 1 || tables > 1 || checks != 1 {
				t.Errorf("runs were listed %d times, printed %d times, and checked %d times", lists, tables, checks)
			}
		})
	}
}

// TestAnOpenedRunIsNotWaitedForAgain checks that a run that is opened already, with
// everything that is read for it, is returned although nothing changes on the hub.
func TestAnOpenedRunIsNotWaitedForAgain(t *testing.T) {
	p := somebody(t, shared)
	p.make(aRun(t, "", "opened", "opened", "Run", "UpdateRunStuck"))
	p.make(aBinding(t, "", "opened", "opened-a", "opened"))
	s, snap, err := OpenLive(t.Context(), Config{REST: shared.Config(hub.AdminUser), ClusterOnly: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := named(snap, engine.KindClusterStagedUpdateRun, "", "opened").ID
	if snap, err = s.OpenRun(t.Context(), snap, run); err != nil || !read(snap, run) {
		t.Fatalf("not opened: %v, %+v", err, snap.Detail)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // whoever waits now gets an error
	if again, err := s.OpenRun(ended, snap, run); err != nil || again != snap {
		t.Errorf("waited for what it has: %v", err)
	}
}
