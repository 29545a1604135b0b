package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch"
)

// TestUnreadHubs: what the end of get --watch says of two hubs, by the Snapshots of each. a is
// listed, unless a RUN waits for b.
func TestUnreadHubs(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 41, 52, 0, time.UTC)
	state := func(link engine.LinkState, complete bool) *engine.Snapshot {
		s := &engine.Snapshot{At: at, Link: engine.Link{State: link}, Complete: complete}
		if link != engine.LinkLive && link != engine.LinkLoading {
			s.Link.Err = engine.Lit("connection refused")
		}
		return s
	}
	live, loading, lost := state(engine.LinkLive, true), state(engine.LinkLoading, false), state(engine.LinkReconnecting, true)
	partly, never := state(engine.LinkLive, false), state(engine.LinkReconnecting, false)
	noHub := state(engine.LinkLive, true)
	noHub.Scope.NoHub = true
	later := state(engine.LinkReconnecting, true)
	later.At = at.Add(time.Hour)
	nextDay := state(engine.LinkReconnecting, true)
	nextDay.At = at.Add(24 * time.Hour)
	for _, tt := range []struct {
		name        string
		a, b        []*engine.Snapshot
		run         bool
		said        string
		want        string // of the end
		hint        string
		withPartial bool // the end is an error with --partial, too
	}{
		{name: "both are live", a: seen(live), b: seen(live)},
		{name: "b still loads", a: seen(live), b: seen(loading), want: "hub b was not read: its runs were still loading", hint: "use --context to name only the hubs that respond"},
		{name: "b has answered with a part of its runs", a: seen(live), b: seen(partly), want: "hub b was not read: its runs were still loading", hint: "use --context to name only the hubs that respond"},
		{name: "a RUN waits for b", a: seen(live), b: seen(loading), run: true, want: "hub b was not read: its runs were still loading", hint: "use --context to name only the hubs that respond"},
		{name: "both load", a: seen(loading), b: seen(loading), want: "hub a was not read: its runs were still loading; hub b was not read: its runs were still loading", hint: "use --context to name only the hubs that respond", withPartial: true},
		{name: "b never answers", a: seen(live), b: seen(never), said: "hub b does not answer: connection refused", want: "hub b was not read: connection refused", hint: "use --context to name only the hubs that respond"},
		{name: "b is no hub", a: seen(live), b: seen(noHub), said: "hub b: this cluster has no KubeFleet hub API", want: "hub b was not read: this cluster has no KubeFleet hub API", hint: "use --context to name only the hubs that respond"},
		{
			name: "b is lost", a: seen(live, live, live), b: seen(live, lost, later), said: "connection to hub b lost: connection refused",
			want: "hub b has not been read since 10:41:52 UTC: connection refused; later changes are missing", hint: "run the command again",
		},
		{
			name: "b was lost yesterday", a: seen(live, live, live), b: seen(live, lost, nextDay), said: "connection to hub b lost: connection refused",
			want: "hub b has not been read since 2 Mar 10:41 UTC: connection refused; later changes are missing", hint: "run the command again",
		},
		{name: "b comes back", a: seen(live, live, live), b: seen(live, lost, live), said: "reconnected to hub b"},
		{name: "b is lost before a RUN is found", a: seen(loading, loading), b: seen(live, lost), run: true, said: "connection to hub b lost", want: "hub a was not read: its runs were still loading; hub b was not read: connection refused", hint: "use --context to name only the hubs that respond", withPartial: true},
		{name: "a was never read, b is lost", a: seen(loading, loading), b: seen(live, lost), said: "connection to hub b lost", want: "hub a was not read: its runs were still loading; hub b has not been read since", hint: "use --context to name only the hubs that respond", withPartial: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, partial := range []bool{false, true} {
				var errs bytes.Buffer
				l := &listing{}
				if tt.run {
					l.runs = []runref.Ref{{}}
				}
				w := &listWatch{listing: l, j: &job.Job{Partial: partial}, t: &terminal{err: &errs}, named: !tt.run}
				w.lines.W = &errs
				for _, name := range []string{"a", "b"} {
					s, err := watch.FollowList(t.Context(), watch.Config{Context: name, REST: &rest.Config{Host: "http://127.0.0.1:1"}}, false)
					if err != nil {
						t.Fatal(err)
					}
					w.add(w.j, s, false, engine.LinkLoading)
				}
				var end error
				for i := range tt.a {
					a, b := *tt.a[i], *tt.b[i]
					a.Hub.Context, b.Hub.Context = engine.Lit("a"), engine.Lit("b")
					if end = w.look(t.Context(), &engine.Snapshot{Hubs: []*engine.Snapshot{&a, &b}}); end != nil {
						break
					}
				}
				w.close()
				if end == nil {
					end = w.unread()
				}
				said := errs.String()
				if (said == "") != (tt.said == "") || !strings.Contains(said, tt.said) {
					t.Errorf("stderr: %q, want %q", said, tt.said)
				}
				if want := tt.want != "" && (!partial || tt.withPartial); (end != nil) != want {
					t.Errorf("partial %v: %v, want %q", partial, end, tt.want)
				}
				var f *exit.Failure
				if errors.As(end, &f) && (!strings.HasPrefix(f.Error(), tt.want) || !strings.HasPrefix(f.Hint.String(), tt.hint) || f.Code != exit.Unreachable) {
					t.Errorf("partial %v: %v, %s, exit code %d, want %q and the hint %q", partial, f, f.Hint, f.Code, tt.want, tt.hint)
				}
			}
		})
	}
}

func seen(all ...*engine.Snapshot) []*engine.Snapshot { return all }
