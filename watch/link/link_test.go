package link

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

func TestLinkStates(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	down := client.Failure{Kind: client.Unreachable, Err: engine.Lit("down"), Hint: engine.Lit("wait")}
	steps := []struct {
		after time.Duration
		do    func(l *Link, now time.Time)
		want  engine.LinkState
		err   string
	}{
		{0, func(*Link, time.Time) {}, engine.LinkLoading, ""},
		{1, func(l *Link, now time.Time) { l.Fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{2, func(l *Link, now time.Time) { l.OK("a", now) }, engine.LinkLoading, ""},
		{3, func(l *Link, _ time.Time) { l.Load() }, engine.LinkLive, ""},
		{11, func(*Link, time.Time) {}, engine.LinkLive, ""},
		{13, func(*Link, time.Time) {}, engine.LinkStale, "not answered"},
		{14, func(l *Link, now time.Time) { l.OK("fine", now) }, engine.LinkLive, ""},
		{15, func(l *Link, now time.Time) { l.Fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{16, func(l *Link, now time.Time) { l.OK("fine", now) }, engine.LinkReconnecting, "down"}, // another stream is fine, this one is not
		{17, func(l *Link, now time.Time) {
			l.Fail("b", client.Failure{Kind: client.Unauthenticated, Err: engine.Lit("who?")}, now)
		}, engine.LinkRefused, "who?"},
		{18, func(l *Link, now time.Time) { l.Fail("a", down, now) }, engine.LinkRefused, "who?"},
		{19, func(l *Link, now time.Time) { l.OK("b", now) }, engine.LinkReconnecting, "down"},
		{20, func(l *Link, _ time.Time) { l.Gone("a") }, engine.LinkLive, ""},
	}
	changes := 0
	l := New(at, true, func() { changes++ })
	var since time.Time
	state := engine.LinkState(99)
	for _, s := range steps {
		now := at.Add(s.after * time.Second)
		s.do(l, now)
		v, next := l.View(now, time.Hour)
		if v.State != s.want || !strings.Contains(v.Err.String(), s.err) || (s.err == "") != v.Err.IsZero() {
			t.Errorf("after %d s: %v %q, want %v %q", s.after, v.State, v.Err, s.want, s.err)
		}
		if v.LoginFailed != (s.err == "who?") {
			t.Errorf("after %d s: login failed %t, error %q", s.after, v.LoginFailed, v.Err)
		}
		if v.State != state {
			state, since = v.State, now.Add(time.Hour)
		}
		if !v.Since.Equal(since) {
			t.Errorf("after %d s: since %v, want %v", s.after, v.Since, since)
		}
		if (v.State == engine.LinkLive) == next.IsZero() {
			t.Errorf("after %d s: %v changes by itself at %v", s.after, v.State, next)
		}
	}
	if changes == 0 {
		t.Error("nobody was told")
	}
}

// TestTheReasonOfARejectedLoginIsKept checks that what was found out about a new login stays
// while the requests with the one in use fail, and goes when the API server accepts that one.
func TestTheReasonOfARejectedLoginIsKept(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	unauthorized := client.Failure{Kind: client.Unauthenticated, Err: engine.Lit("Unauthorized")}
	l := New(at, true, func() {})
	l.Load()
	says := func(seconds time.Duration, want string) {
		t.Helper()
		if v, _ := l.View(at.Add(seconds*time.Second), 0); v.Err.String() != want || (v.State == engine.LinkRefused) != (want != "") {
			t.Errorf("after %d s: %v %q, want %q", seconds, v.State, v.Err, want)
		}
	}
	l.Fail("a", unauthorized, at)
	l.LoginRejected(engine.Lit("another user"), engine.Lit("restart"), at.Add(time.Second))
	says(1, "another user")
	l.Fail("a", unauthorized, at.Add(2*time.Second))
	says(2, "another user")
	if l.loginWorks(at) { // sent before both rejections
		t.Error("an old answer wakes the sources")
	}
	says(2, "another user")
	if !l.loginWorks(at.Add(3 * time.Second)) {
		t.Error("nothing is tried again")
	}
	says(3, "Unauthorized") // until it has been
	l.OK("a", at.Add(4*time.Second))
	says(4, "")
}

// A laptop that slept has an old heard time on the wall and none that moved on
// the monotonic clock.
func TestLinkUsesTheWallClock(t *testing.T) {
	l := New(time.Now(), true, func() {})
	l.Load()
	asleep := time.Now()
	l.OK(sourceProbe, asleep)
	if v, _ := l.View(asleep.Round(0).Add(time.Hour), 0); v.State != engine.LinkStale {
		t.Errorf("after an hour of sleep the link is %v", v.State)
	}
}

// TestLinkAgesBySets checks that the age is that of the oldest set, and that a set without
// a proof is named although others, and probes, are answered.
func TestLinkAgesBySets(t *testing.T) {
	at := time.Now().Round(0)
	l := New(at, true, func() {})
	l.Load()
	runs, requests := world.CoverAll(engine.KindClusterStagedUpdateRun), world.CoverKey{Kind: engine.KindApprovalRequest, Namespace: "team"}
	for name, key := range map[Source]world.CoverKey{"runs": runs, "requests": requests, "absent": world.CoverAll(engine.KindMemberCluster)} {
		l.Open(name, key, at, func(bool, time.Time) {})
		l.Proves(name, at)
	}
	l.Missing("absent")
	tell := func(after time.Duration, source Source) engine.Link {
		now := at.Add(after)
		if source != "" {
			l.Proves(source, now)
		}
		l.mu.Lock()
		l.heard = now // a probe
		l.mu.Unlock()
		v, next := l.View(now, 0)
		if v.State == engine.LinkLive && (next.Before(now) || next.Sub(v.Heard) > StaleAfter+time.Second) {
			t.Errorf("after %v: looks again at %v", after, next)
		}
		return v
	}
	if v := tell(9*time.Second, "runs"); v.State != engine.LinkLive || !v.Heard.Equal(at) || len(v.Stale) > 0 {
		t.Errorf("one set of 9 s: %+v", v)
	}
	v := tell(11*time.Second, "runs")
	if v.State != engine.LinkStale || !v.Heard.Equal(at) || !strings.Contains(v.Err.String(), "approvalrequests") || strings.Contains(v.Err.String(), "updateruns") {
		t.Errorf("one set of 11 s: %+v", v)
	}
	rows := map[string]bool{}
	for _, row := range []struct {
		kind     engine.Kind
		ns, name string
	}{{engine.KindClusterStagedUpdateRun, "", "a"}, {engine.KindStagedUpdateRun, "team", "b"}, {engine.KindStagedUpdateRun, "other", "c"}} {
		rows[row.name] = v.StaleFor(&engine.RunView{ID: engine.HubName{}.ID(row.kind, row.ns, row.name, "")})
	}
	if rows["a"] || !rows["b"] || rows["c"] {
		t.Errorf("stale rows: %v", rows)
	}
	if v := tell(12*time.Second, "requests"); v.State != engine.LinkLive || len(v.Stale) > 0 {
		t.Errorf("both proven: %+v", v)
	}
}

// TestProofs checks proofs that a clock, a reset and an ended stream must not improve.
func TestProofs(t *testing.T) {
	now := time.Now().Round(0)
	l := New(now, true, func() {})
	l.Load()
	key := world.CoverAll(engine.KindClusterStagedUpdateRun)
	first := l.Open("runs", key, now, func(bool, time.Time) {})
	l.Proves("runs", now.Add(time.Hour)) // then the clock was set back
	l.OK(sourceProbe, now)
	if v, _ := l.View(now, 0); v.State != engine.LinkStale {
		t.Errorf("with a proof of the future: %v", v.State)
	}
	l.Proves("runs", now)
	if v, _ := l.View(now, 0); v.State != engine.LinkLive {
		t.Errorf("with a proof after it: %v, %q", v.State, v.Err)
	}
	l.Open("runs", key, now, func(bool, time.Time) {})
	l.Proves("runs", now.Add(-10*time.Minute))
	second := l.sets["runs"]
	first()
	if l.sets["runs"] != second {
		t.Error("the end of a stream forgets the set of its successor")
	}
	l.Older(now, now)
	if v, _ := l.View(now, 0); !v.Heard.Equal(now.Add(-10 * time.Minute)) {
		t.Errorf("a reset makes data of 10 minutes %v old", now.Sub(v.Heard))
	}
}

// TestOneResetIsNotedOnce checks that sets which find the same reset one after the other
// restart all sets once.
func TestOneResetIsNotedOnce(t *testing.T) {
	at := time.Now().Round(0)
	l := New(at, true, func() {})
	l.Load()
	restarts := 0
	l.Open("runs", world.CoverAll(engine.KindClusterStagedUpdateRun), at, func(all bool, _ time.Time) {
		if all {
			restarts++
		}
	})
	const moment = 100 * time.Millisecond
	is := func(what string, wantRestarts int, wantReset time.Time) {
		t.Helper()
		if v, _ := l.View(at.Add(time.Second), 0); restarts != wantRestarts || !v.Reset.Equal(wantReset) {
			t.Errorf("%s: %d restarts, reset at %v, want %d at %v", what, restarts, v.Reset, wantRestarts, wantReset)
		}
	}
	known := at.Add(-moment)
	for n := range 50 {
		l.Older(at.Add(time.Duration(n)*moment), known)
		l.WasReset(at.Add(time.Duration(n)*moment), known)
	}
	is("one reset", 1, at)
	second := at.Add(3 * moment)
	l.Older(second, at.Add(moment))
	is("a second one, of what was read since", 2, second)
	third := at.Add(5 * moment)
	l.WasReset(third, at.Add(4*moment))
	is("a list of one set shows a third one", 2, third)
	l.Older(at.Add(6*moment), at.Add(4*moment))
	is("another set finds it", 3, third)
}

// What has come of the first lists is shown while they are on their way, and every set says how
// many bytes came, and when it was proven to be current.
func TestSetsSayWhatCame(t *testing.T) {
	now := time.Now()
	woken := 0
	l := New(now, true, func() { woken++ })
	runs, requests := world.CoverAll(engine.KindClusterStagedUpdateRun), world.CoverAll(engine.KindClusterApprovalRequest)
	defer l.Open("requests", requests, now, nil)()
	defer l.Open("runs", runs, now, nil)()
	if v, _ := l.View(now, 0); !v.Loading.IsZero() {
		t.Errorf("before anything came: %v", v.Loading)
	}
	l.Received("runs", 3<<20, now)
	l.Received("runs", 9<<20, now.Add(2*time.Second))
	l.Arrives("runs", 1, now)
	l.Received("requests", 5, now)
	if v, _ := l.View(now, 0); v.Loading.String() != "1 object, 12 MiB" || woken == 0 {
		t.Errorf("while loading: %v, shown %d times", v.Loading, woken)
	}
	l.Load()
	l.Proves("runs", now)
	l.Proves("requests", now)
	if v, _ := l.View(now, 0); !v.Loading.IsZero() {
		t.Errorf("once loaded: %v", v.Loading)
	}
	before := woken
	l.Received("runs", 1, now.Add(time.Minute))
	if woken != before {
		t.Error("bytes of a watch are shown as progress")
	}
	got := l.Sets()
	if len(got) != 2 || got[0].Key != runs || got[0].Bytes != 12<<20+1 || !got[0].Proved.Equal(now.Round(0)) || got[1].Bytes != 5 || !got[1].Proved.Equal(now.Round(0)) {
		t.Errorf("sets: %+v", got)
	}
}

// A list that is read again after an interruption shows how much has come, and no longer why the
// hub was not reached.
func TestListsThatAreReadAgainSayWhatCame(t *testing.T) {
	now := time.Now()
	l := New(now, true, func() {})
	defer l.Open("runs", world.CoverAll(engine.KindClusterStagedUpdateRun), now, nil)()
	l.Received("runs", 5<<20, now)
	l.Arrives("runs", 20, now)
	l.Proves("runs", now)
	l.Load()
	at := now.Add(30 * time.Second)
	l.Fail("runs", client.Failure{Kind: client.Unreachable, Err: engine.Lit("connection refused"), Hint: engine.Lit("check the context"), Absent: true}, at)
	if v, _ := l.View(at, 0); v.State != engine.LinkReconnecting || !v.Loading.IsZero() {
		t.Errorf("interrupted: %v %q", v.State, v.Loading)
	}
	l.Received("runs", 7<<20, at) // of its watch
	l.Begins("runs")
	l.Arrives("runs", 1, at)
	l.Received("runs", 2<<20, at)
	l.Arrives("runs", 8, at.Add(time.Second))
	v, _ := l.View(at.Add(time.Second), 0)
	if v.State != engine.LinkStale || v.Loading.String() != "8 objects, 2048 KiB" || v.Err.String() != "no confirmation of clusterstagedupdateruns" || v.Absent {
		t.Errorf("while it is read again: %v %q, %v", v.State, v.Loading, v.Err)
	}
	if v, _ = l.View(at.Add(arrivingFor+time.Second), 0); !v.Loading.IsZero() {
		t.Errorf("when it has stopped coming: %q", v.Loading)
	}
	l.Proves("runs", at.Add(5*time.Second))
	l.OK("runs", at.Add(5*time.Second))
	if v, _ = l.View(at.Add(5*time.Second), 0); v.State != engine.LinkLive || !v.Loading.IsZero() {
		t.Errorf("in the end: %v %q", v.State, v.Loading)
	}
}

// Nobody listens at the address until the hub answers anything: then that is over for all sets, which
// are still to be read.
func TestARefusedConnectionIsOverWithAnAnswer(t *testing.T) {
	now := time.Now()
	l := New(now, true, func() {})
	defer l.Open("runs", world.CoverAll(engine.KindClusterStagedUpdateRun), now, nil)()
	l.Proves("runs", now)
	l.Load()
	for _, f := range []client.Failure{
		{Kind: client.Unreachable, Err: engine.Lit("connection refused"), Absent: true},
		{Kind: client.Unreachable, Err: engine.Lit("the connection was closed")},
	} {
		l.Fail("runs", f, now.Add(time.Second))
		if v, _ := l.View(now.Add(time.Second), 0); v.State != engine.LinkReconnecting {
			t.Errorf("%v: %v", f.Err, v.State)
		}
		l.OK(sourceProbe, now.Add(2*time.Second))
		want := engine.LinkReconnecting
		if f.Absent {
			want = engine.LinkStale
		}
		if v, _ := l.View(now.Add(2*time.Second), 0); v.State != want {
			t.Errorf("%v, and an answer to a probe: %v, %v", f.Err, v.State, v.Err)
		}
		l.OK("runs", now.Add(3*time.Second))
		if v, _ := l.View(now.Add(3*time.Second), 0); v.State != engine.LinkLive {
			t.Errorf("%v, and an answer of the set: %v, %v", f.Err, v.State, v.Err)
		}
	}
}

// TestFirstSetsAreConfirmed checks that the link is loading until each of the first sets is proved
// to be current, and stale where that takes too long. Later sets do not count.
func TestFirstSetsAreConfirmed(t *testing.T) {
	now := time.Now()
	l := New(now, true, func() {})
	defer l.Open("runs", world.CoverAll(engine.KindClusterStagedUpdateRun), now, nil)()
	defer l.Open("requests", world.CoverAll(engine.KindClusterApprovalRequest), now, nil)()
	is := func(when string, at time.Time, want engine.LinkState) time.Time {
		t.Helper()
		v, next := l.View(at, 0)
		if v.State != want || (want == engine.LinkLoading) == v.Loading.IsZero() {
			t.Errorf("%s: %v %v, want %v", when, v.State, v.Loading, want)
		}
		return next
	}
	l.Received("runs", 3<<20, now)
	l.Received("requests", 5, now)
	l.Load()
	l.Proves("runs", now)
	defer l.Open("bindings", world.CoverBindings(engine.NewID(engine.KindClusterResourcePlacement, "", "p", "")), now, nil)()
	l.Received("bindings", 5, now)
	next := is("complete", now, engine.LinkLoading)
	l.Proves("runs", next)
	is("not confirmed in time", next, engine.LinkStale)
	l.Proves("requests", next)
	l.Received("bindings", 5, next)
	l.OK("probe", next)
	is("confirmed", next, engine.LinkLive)

	l = New(now, true, func() {})
	defer l.Open("runs", world.CoverAll(engine.KindClusterStagedUpdateRun), now, nil)()
	defer l.Open("requests", world.CoverAll(engine.KindClusterApprovalRequest), now, nil)()
	l.Missing("requests")
	l.Received("runs", 3<<20, now)
	l.Load()
	l.Proves("runs", now.Add(2*time.Second-StaleAfter))
	is("complete in time, and one is refused", now, engine.LinkLive)
	is("not confirmed again", now.Add(3*time.Second), engine.LinkStale)
}

// TestLoadingOverASlowLine checks that a request which waits behind the first lists is no failure
// of the connection while they come, and one as soon as they do not come any more.
func TestLoadingOverASlowLine(t *testing.T) {
	at := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	runs, requests := world.CoverAll(engine.KindClusterStagedUpdateRun), world.CoverAll(engine.KindClusterApprovalRequest)
	late := client.Failure{Kind: client.Unreachable, Late: true, Err: engine.Lit("no answer in time")}
	l := New(at, true, func() {})
	defer l.Open("runs", runs, at, nil)()
	defer l.Open("requests", requests, at, nil)()
	says := func(after time.Duration, want engine.LinkState) time.Time {
		t.Helper()
		v, next := l.View(at.Add(after), 0)
		if v.State != want || (want == engine.LinkLoading) != (v.Loading.String() != "") {
			t.Errorf("after %v: %v, %q, %v; want %v", after, v.State, v.Loading, v.Err, want)
		}
		return next
	}
	l.Proves("requests", at)
	l.Received("runs", 1000, at)
	l.Fail("requests", late, at.Add(time.Second))
	if next := says(time.Second, engine.LinkLoading); next.Sub(at) <= arrivingFor || next.Sub(at) > arrivingFor+10*time.Millisecond {
		t.Errorf("looked at again after %v, want when the list is late", next.Sub(at))
	}
	says(arrivingFor, engine.LinkReconnecting)
	l.Received("requests", 1000, at.Add(3*time.Second)) // of its watch
	l.Received("runs", 0, at.Add(3*time.Second))
	says(3*time.Second, engine.LinkReconnecting)
	l.Received("runs", 1000, at.Add(4*time.Second))
	says(5*time.Second, engine.LinkLoading)
	says(-time.Hour, engine.LinkReconnecting) // the clock was set back
	l.Fail("runs", client.Failure{Kind: client.ServerError, Err: engine.Lit("etcd is full")}, at.Add(4*time.Second))
	l.Fail("requests", late, at.Add(5*time.Second))
	if v, _ := l.View(at.Add(5*time.Second), 0); v.State != engine.LinkReconnecting || v.Err.String() != "etcd is full" {
		t.Errorf("with another failure: %v, %v", v.State, v.Err)
	}
	l.OK("runs", at.Add(5*time.Second))
	says(5*time.Second, engine.LinkLoading)
	l.Load()
	says(5*time.Second, engine.LinkReconnecting)
}

// TestTimeoutsOfASilentHub checks that timeouts while the hub answered nothing do not count against a set, but count if the
// set was not proved since the hub recovered last.
func TestTimeoutsOfASilentHub(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	l := New(at, true, func() {})
	var got time.Time
	l.Open("runs", world.CoverAll(engine.KindStagedUpdateRun), at, func(_ bool, silent time.Time) { got = silent })
	for i, tt := range []struct {
		what    string
		proved  bool
		forgets bool
	}{
		{"before the first list", false, false},
		{"a set that was proved", true, true},
		{"again, without a proof", false, false},
		{"again, with one", true, true},
	} {
		now := at.Add(time.Duration(i) * time.Minute)
		if tt.proved {
			l.Proves("runs", now)
		}
		l.OK(sourceProbe, now)
		silent := l.lastAnswer(now.Add(5 * time.Second))
		if l.Recovered(silent, now.Add(20*time.Second)); got.Equal(silent) != tt.forgets || !tt.forgets && !got.IsZero() {
			t.Errorf("%s: timeouts since %v do not count, the hub is silent since %v", tt.what, got, silent)
		}
	}
}

// Lists that are not answered are all named while the hub answers other requests, in the same
// order in each frame, and the network is not blamed.
func TestListsThatAreNotAnswered(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	late := func(what string) client.Failure {
		return client.Failure{Kind: client.Unreachable, Late: true, Err: engine.Textf("no answer in time: %s", what), Hint: engine.Lit("check the network")}
	}
	l := New(at, true, func() {})
	l.Open("runs", world.CoverAll(engine.KindStagedUpdateRun), at, func(bool, time.Time) {})
	l.Open("members", world.CoverAll(engine.KindMemberCluster), at, func(bool, time.Time) {})
	says := func(after time.Duration, err, hint string) {
		t.Helper()
		v, _ := l.View(at.Add(after), 0)
		if v.State != engine.LinkReconnecting || v.Errors || v.Answers != strings.Contains(hint, "answers other requests") || v.Err.String() != err || v.Hint.String() != hint+"; stagewatch retries automatically" || v.Rerun.String() != hint+", then run the command again" {
			t.Errorf("after %s: %s %q, hint %q, %q", after, v.State, v.Err, v.Hint, v.Rerun)
		}
	}
	l.OK(sourceProbe, at)
	l.Fail("runs", late("stagedupdateruns"), at.Add(5*time.Second)) // nothing was answered meanwhile
	says(5*time.Second, "no answer in time: stagedupdateruns", "check the network")
	l.OK(sourceProbe, at.Add(6*time.Second))
	const wait = "wait a moment (the hub answers other requests)"
	says(6*time.Second, "no answer in time: stagedupdateruns", wait)
	for i, s := range []Source{"members", "runs", "members", "runs"} {
		now := at.Add(time.Duration(7+i) * time.Second)
		l.Fail(s, late("one of them"), now)
		l.OK(sourceProbe, now)
		says(time.Duration(7+i)*time.Second, "no answer in time: memberclusters, stagedupdateruns", wait)
	}
	l.Fail(sourceProbe, client.Failure{Kind: client.Unreachable, Err: engine.Lit("no answer in time"), Hint: engine.Lit("check the network")}, at.Add(12*time.Second))
	l.Fail("runs", late("stagedupdateruns"), at.Add(13*time.Second))
	says(13*time.Second, "no answer in time: stagedupdateruns", "check the network")
}
