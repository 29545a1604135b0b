package history

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// long is how long random histories are played, in wall time; zero plays the fixed ones.
var long = flag.Duration("history", 0, "play random histories for this long")

// replay is the seed of a single history to play, as a failure prints it.
var replay = flag.Uint64("seed", 0, "play the random history of this seed only")

// failed are the seeds of histories that once broke a promise. Which faults a seed stands
// for changes with Faults: what was made short is in TestHistoryCases.
var failed = []uint64{1795382149696821387, 1795535792531578138}

// fixed is how many histories are played without the flag, fixedRaced under the race
// detector, to which one history is like the other.
const fixed, fixedRaced = 20, 5

// restoring is how long a hub does not answer while it is restored.
const restoring = 6 * time.Second

// TestHistory plays random histories of changes, faults, restarts and restores, and
// checks every frame against what the hub had. A history that breaks a promise is made
// short and printed: add it to TestHistoryCases.
func TestHistory(t *testing.T) {
	t.Parallel()
	began := time.Now()
	if *replay > 0 {
		playSeed(t, *replay)
		return
	}
	for _, seed := range failed {
		playSeed(t, seed)
	}
	count := uint64(fixed)
	if raceEnabled {
		count = fixedRaced
	}
	for seed := uint64(1); *long == 0 && seed <= count || *long > 0 && time.Since(began) < *long; seed++ {
		from := seed
		if *long > 0 {
			from += uint64(began.UnixNano())
		}
		playSeed(t, from)
	}
}

// playSeed plays the random history of a seed, and makes it short if it fails.
func playSeed(t *testing.T, seed uint64) {
	t.Helper()
	script := Random(rand.New(rand.NewPCG(seed, 0)), 60)
	if bad := errors.Join(play(t, script)...); bad != nil {
		short := shrink(t, script)
		t.Fatalf("seed %d: %v\nshort: %v\n%v", seed, first(bad), first(errors.Join(play(t, short)...)), short)
	}
}

func first(err error) string {
	if err == nil {
		return "does not fail again"
	}
	lines := strings.Split(err.Error(), "\n")
	return strings.Join(lines[:min(4, len(lines))], "\n")
}

// TestHistoryCases plays the histories that broke a promise once.
func TestHistoryCases(t *testing.T) {
	for name, script := range map[string]Script{
		// A change just before the restore: no probe has seen its version.
		"restored after a change": {
			{20 * time.Second, "backup", 0},
			{time.Second, "put", 1},
			{10 * time.Millisecond, "restore", 0},
			{time.Minute, "look", 0},
		},
		// The restored hub has overtaken the version that the session knows before it
		// answers.
		"restored and overtaken": {
			{20 * time.Second, "backup", 0},
			{time.Second, "put", 1},
			{10 * time.Millisecond, "restore", 0},
			{0, "put", 2},
			{0, "put", 2},
			{0, "put", 2},
			{time.Minute, "look", 0},
		},
		// The hub goes back while the login is still to be made that was rejected before.
		"restored before the login": {
			{1169 * time.Millisecond, "fault", 1},
			{14427 * time.Millisecond, "heal", 6},
			{937 * time.Millisecond, "fault", 25},
			{1229 * time.Millisecond, "restart", 7},
			{1232 * time.Millisecond, "put", 0},
			{2977 * time.Millisecond, "fault", 17},
			{2554 * time.Millisecond, "restart", 1},
			{31727 * time.Millisecond, "heal", 2},
			{3770 * time.Millisecond, "fault", 14},
			{2773 * time.Millisecond, "put", 1},
			{25624 * time.Millisecond, "heal", 1},
			{370 * time.Millisecond, "split", 6},
			{3181 * time.Millisecond, "look", 7},
			{20 * time.Second, "look", 0},
		},
		// The hub goes back, and back again half a second later: both are named.
		"restored twice": {
			{2200 * time.Millisecond, "move", 0},
			{2182 * time.Millisecond, "put", 7},
			{1134 * time.Millisecond, "split", 0},
			{7354 * time.Millisecond, "put", 1},
			{1220 * time.Millisecond, "delete", 2},
			{2313 * time.Millisecond, "join", 0},
			{536 * time.Millisecond, "split", 0},
			{time.Minute, "look", 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(play(t, script)...); err != nil {
				t.Error(err)
			}
		})
	}
}

// shrink leaves out steps of a script that fails as long as it fails.
func shrink(t *testing.T, s Script) Script {
	for n := len(s) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(s); {
			if less := slices.Delete(slices.Clone(s), at, at+n); len(play(t, less)) > 0 {
				s = less
			} else {
				at += n
			}
		}
	}
	return s
}

// stage is a hub of two API servers that a script plays on.
type stage struct {
	*situation
	servers [2]*faults.Replica
	at      atomic.Int32 // the server that answers; the transport reads it, too
	lag     time.Duration
	// other, while it is not nil, is the store of the second server: the first one was
	// restored from a backup, the second one not yet.
	other   *faults.APIServer
	changes int
}

func newStage(t *testing.T) *stage {
	h := &stage{situation: start(t), changes: 1}
	h.servers = [2]*faults.Replica{h.server.Replica(), h.server.Replica()}
	h.proxy.SetServer(h.servers[0])
	h.certificate = func() *x509.Certificate { return &x509.Certificate{Raw: []byte{byte(h.at.Load())}} }
	return h
}

// store is what the server that answers has.
func (h *stage) store() *faults.APIServer {
	if h.at.Load() == 1 && h.other != nil {
		return h.other
	}
	return h.server
}

// lags reports whether the server that answers is behind its store.
func (h *stage) lags() bool { return h.at.Load() == 1 && h.other == nil && h.lag > 0 }

// move lets the other server answer: all connections are lost.
func (h *stage) move(to int) {
	h.at.Store(int32(to))
	if to == 1 && h.other != nil {
		h.proxy.SetServer(h.other)
		return
	}
	h.proxy.SetServer(h.servers[to])
}

// join restores the second server, too.
func (h *stage) join() {
	if h.other != nil {
		h.other = nil
		h.move(0)
	}
}

// each calls do for the stores that there are.
func (h *stage) each(do func(*faults.APIServer)) {
	do(h.server)
	if h.other != nil {
		do(h.other)
	}
}

// put creates or changes a run.
func (h *stage) put(on int) {
	resource, ns, name := runOf(on)
	o := aRun(name, "web")
	m := o["metadata"].(map[string]any)
	m["generation"] = h.changes
	if ns != "" {
		o["kind"], m["namespace"] = "StagedUpdateRun", ns
	}
	h.each(func(s *faults.APIServer) { s.Put(resource, o) })
}

// state is what the hub has now.
func (h *stage) state() State {
	state := State{At: time.Now(), Runs: map[string]string{}}
	for _, resource := range []string{"clusterstagedupdateruns", "stagedupdateruns"} {
		for name, version := range h.store().Versions(resource) {
			state.Runs[strings.TrimPrefix(name, "/")] = version
		}
	}
	return state
}

// play plays a script in compressed time and returns what it broke.
func play(t *testing.T, script Script) []error {
	t.Helper()
	r := &Record{}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var requests atomic.Int64
		s.proxy.Observe(func(*http.Request) { requests.Add(1) })
		for i := range Runs {
			s.put(i)
		}
		note := func() { r.States = append(r.States, s.state()) }
		note()
		s.open()
		s.within(20*time.Second, "live", isLive)
		frames := make(chan struct{})
		ctx, end := timeout(t, 24*time.Hour)
		go func() {
			defer close(frames)
			r.Frames = append(r.Frames, frameOf(s.last))
			for {
				snap, err := s.session.Next(ctx)
				if err != nil {
					return
				}
				r.Frames = append(r.Frames, frameOf(snap))
			}
		}()
		// allowance is what a login that was rejected, or a Retry-After, adds to the recovery. It
		// lasts until then, whatever happens meanwhile.
		healthy, allowance, faulty := time.Now(), time.Duration(0), false
		var then time.Time
		goesBack := func() {
			if r.Reset.IsZero() {
				r.Reset = time.Now()
			}
		}
		disturb := func() {
			if !healthy.IsZero() {
				r.Healthy = append(r.Healthy, [2]time.Time{healthy, time.Now()})
			}
			if allowance > 0 {
				then = time.Now().Add(allowance)
			}
			if healthy = engine.Later(time.Now(), then); faulty || s.lags() {
				healthy = time.Time{}
			}
		}
		backup := s.server.Backup()
		for _, step := range script {
			time.Sleep(step.After)
			s.changes++
			switch step.Do {
			case "put":
				s.put(step.On)
			case "delete":
				resource, ns, name := runOf(step.On)
				s.each(func(store *faults.APIServer) { store.Delete(resource, ns, name) })
			case "fault":
				faulty = true
				disturb()
				allowance = 0
				if first := Faults()[step.On][0]; first.Code == http.StatusUnauthorized {
					allowance = 5 * time.Second
				}
				// A rule that cuts does so once, the others stay.
				var stay []faults.Rule
				for i, rule := range Faults()[step.On] {
					if rule.Kind == faults.Cut && i+1 < len(Faults()[step.On]) {
						s.proxy.Set(rule)
						continue
					}
					stay = append(stay, rule)
				}
				s.proxy.Set(stay...)
			case "heal":
				s.proxy.Set()
				faulty = false
				disturb()
				allowance = 0
			case "restart":
				disturb()
				s.each((*faults.APIServer).Restart)
			case "restart one":
				disturb()
				s.servers[step.On%2].Restart()
			case "move":
				s.move(1 - int(s.at.Load()))
				disturb()
			case "lag":
				s.lag = Lags()[step.On]
				r.Lag = max(r.Lag, s.lag)
				s.servers[1].SetLag(s.lag)
				disturb()
			case "split":
				goesBack()
				s.join()
				s.other = s.server.Copy()
				s.move(int(s.at.Load()))
				s.server.Restore(backup, "")
				disturb()
			case "join":
				s.join()
				disturb()
			case "compact":
				s.each((*faults.APIServer).Compact)
			case "backup":
				backup = s.server.Backup()
			case "restore", "replace":
				goesBack()
				s.join()
				was := faulty
				faulty = true
				disturb()
				system := ""
				if step.Do == "replace" {
					system = fmt.Sprint("system-", s.changes)
				}
				// A hub that is restored does not answer for a while.
				before := s.proxy.Rules()
				s.proxy.Set(faults.Rule{Kind: faults.Cut})
				time.Sleep(restoring)
				s.server.Restore(backup, system)
				s.proxy.Set(before...)
				faulty = was
				disturb()
			case "look":
				if len(s.last.Runs) > 0 {
					s.session.Want(engine.Focus{Cursor: s.last.Runs[step.On%len(s.last.Runs)].ID})
				}
			}
			note()
		}
		time.Sleep(settle)
		disturb()
		r.End = time.Now()
		end()
		<-frames
		r.MostLists, r.Requests = s.proxy.MostLists(), int(requests.Load())
	})
	return Check(r)
}

func frameOf(s *engine.Snapshot) Frame {
	f := Frame{
		At: time.Now(), Live: s.Link.State == engine.LinkLive, Complete: s.Complete,
		Runs: map[string]string{}, Stale: map[string]bool{},
	}
	if !s.Link.Reset.IsZero() {
		f.Reset = s.Link.Reset.Add(-s.Skew) // the hub's clock may have moved since
	}
	for _, v := range s.Runs {
		ns, name, _ := v.ID.Raw()
		name = strings.TrimPrefix(ns+"/"+name, "/")
		f.Runs[name] = v.ResourceVersion.Value()
		f.Stale[name] = s.Link.StaleFor(v)
	}
	return f
}
