package history

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

const runs = "clusterstagedupdateruns"

// aRun is a run that waits for an approval.
func aRun(name, placement string) map[string]any {
	return map[string]any{
		"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterStagedUpdateRun",
		"metadata": map[string]any{"name": name, "generation": 1},
		"spec":     map[string]any{"placementName": placement, "stagedRolloutStrategyName": "s", "state": "Run"},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "Initialized", "status": "True", "reason": "UpdateRunInitializedSuccessfully", "message": "m",
			"observedGeneration": 1, "lastTransitionTime": "2026-11-20T10:00:00Z",
		}}},
	}
}

// aCondition is a condition that has been true since a moment.
func aCondition(kind, reason string, since time.Time) map[string]any {
	return map[string]any{"type": kind, "status": "True", "reason": reason, "message": "m", "observedGeneration": 1, "lastTransitionTime": since.UTC().Format(time.RFC3339)}
}

// anUpdatingRun is a run that has been updating a cluster since a moment.
func anUpdatingRun(name, placement, cluster string, since time.Time) map[string]any {
	run := aRun(name, placement)
	status := run["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), aCondition("Progressing", "UpdateRunProgressing", since))
	status["stagesStatus"] = []any{map[string]any{
		"stageName": "prod", "startTime": since.UTC().Format(time.RFC3339), "conditions": []any{aCondition("Progressing", "StageUpdatingStarted", since)},
		"clusters": []any{map[string]any{"clusterName": cluster, "conditions": []any{aCondition("Started", "ClusterUpdatingStarted", since)}}},
	}}
	return run
}

// situation is a session on a server in memory, in compressed time.
type situation struct {
	t       *testing.T
	server  *faults.APIServer
	proxy   *faults.Proxy
	session *watch.Session
	last    *engine.Snapshot
	// certificate, if not nil, is that of the server which answers.
	certificate func() *x509.Certificate
	// config, if not nil, is the way to the server.
	config *rest.Config
}

// compressed runs a test in a bubble with a session that is live with one run.
func compressed(t *testing.T, test func(s *situation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		s.server.Put(runs, aRun("first", "web"))
		s.open()
		s.within(20*time.Second, "live", func(snap *engine.Snapshot) bool { return isLive(snap) && len(snap.Runs) == 1 })
		time.Sleep(time.Minute)
		s.drain()
		test(s)
	})
}

func start(t *testing.T) *situation {
	server := faults.NewAPIServer()
	s := &situation{t: t, server: server, proxy: faults.NewProxy(server)}
	s.proxy.Count(ofStream)
	return s
}

// ofStream selects the lists of streams: whole ones and those in pages. Reads on demand, such
// as those of a diagnosis, have pages of other sizes.
func ofStream(r *http.Request) bool {
	return faults.ObjectLists(r) && slices.Contains([]string{"", "2", "6", "18", "54", "100"}, r.URL.Query().Get("limit")) &&
		!strings.HasSuffix(r.URL.Path, "snapshots")
}

func (s *situation) open() {
	s.t.Helper()
	if s.config == nil {
		s.config = &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: s.proxy, Certificate: s.certificate}}
	}
	session, err := watch.Open(s.t.Context(), watch.Config{Context: "hub", REST: s.config})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(session.Close)
	s.session = session
}

func isLive(s *engine.Snapshot) bool { return s.Link.State == engine.LinkLive && s.Complete }

// drain takes the Snapshots that are there.
func (s *situation) drain() {
	synctest.Wait()
	for {
		ctx, cancel := timeout(s.t, time.Millisecond)
		snap, err := s.session.Next(ctx)
		cancel()
		if err != nil {
			return
		}
		s.last = snap
	}
}

// within reads Snapshots until one is as wanted, and returns how long that took.
func (s *situation) within(d time.Duration, what string, ok func(*engine.Snapshot) bool) time.Duration {
	s.t.Helper()
	began := time.Now()
	if s.last != nil && ok(s.last) {
		return 0
	}
	ctx, cancel := timeout(s.t, d)
	defer cancel()
	for {
		snap, err := s.session.Next(ctx)
		if err != nil {
			s.t.Fatalf("after %v: no snapshot with %s; last: %s", time.Since(began), what, describe(s.last))
		}
		s.last = snap
		if ok(snap) {
			return time.Since(began)
		}
	}
}

func has(name string) func(*engine.Snapshot) bool {
	return func(s *engine.Snapshot) bool { return isLive(s) && find(s, name) != nil }
}

func find(s *engine.Snapshot, name string) *engine.RunView {
	for _, v := range s.Runs {
		if v.ID.RawName() == name {
			return v
		}
	}
	return nil
}

func describe(s *engine.Snapshot) string {
	if s == nil {
		return "none"
	}
	out := fmt.Sprintf("link %v, %q (%q), heard %v ago, complete %v, notes %v, runs", s.Link.State, s.Link.Err, s.Link.Hint, s.At.Sub(s.Link.Heard), s.Complete, s.Scope.Notes)
	for _, v := range s.Runs {
		out += " " + v.ID.RawName() + "@" + v.ResourceVersion.Value()
	}
	return out
}
