package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/stream/received"
)

const (
	// checkEvery is how long a set may be without a proof before its watch is checked.
	// With checkSlack and checkGrace, and a list where they find nothing, that is within
	// link.StaleAfter.
	checkEvery = 3 * time.Second
	// checkRarely is the same for member clusters, on which no state word depends.
	checkRarely = 20 * time.Second
	// checkSoon is how much earlier a set is checked together with another one.
	checkSoon = 2 * time.Second
	// checkFor is how long a check watches: an idle set costs one request in six seconds.
	checkFor = 3 * time.Second
	// checkSlack is how much longer a check may take to be answered: of a hub that answers late
	// twice as long as the watch, 2*checkSlack at most.
	checkSlack = 1500 * time.Millisecond
	// checkGrace is how long the watch may be behind the check.
	checkGrace = time.Second
	// doubtEvery, doubtWatch, doubtSlack and doubtGrace are for a set whose watch was stalled,
	// until one brings something again, and for all sets while the connection is suspected:
	// a watch that stays silent after a fault is replaced within two seconds, three over a slow
	// line: there checkSlack applies instead of doubtSlack, since lists that are read again delay the
	// answers. doubtWatch is also for a set that is about to turn stale.
	doubtEvery = 300 * time.Millisecond
	doubtWatch = time.Second
	doubtSlack = 400 * time.Millisecond
	doubtGrace = 500 * time.Millisecond
)

// check finds out, until ctx ends, whether the watch is silent only because
// there is nothing new. A proxy can lose its way to the hub and keep the one to
// us: then pings and new requests are answered, and only watches bring nothing
// any more. So a second, short watch begins where the two agreed last. If it ends
// without news, that is a proof; if it has news that the first does not get, or is not
// answered, the set is listed again. So it is if the first has lost a change on the way: a
// watch that brings later ones is checked too.
func (s *stream) check(ctx context.Context) {
	stalls, brought := 0, s.brought.Load()
	asked := -1 // after how many lists the last one was asked for because of a lost change
	for {
		if now := s.brought.Load(); now != brought {
			stalls, brought = 0, now
		}
		pace, grace := s.pace, checkGrace
		doubtful := stalls > 0 || s.isUnproven() || s.link.IsSuspected()
		if doubtful {
			pace, grace = min(pace, doubtEvery), doubtGrace
		}
		woken, ok := s.link.PauseCheck(ctx, min(pace, max(pace-s.unconfirmed(), checkEvery/20)), s.broken)
		if !ok {
			return
		}
		open, at, bytes := s.watching.Load(), s.at(), s.bytes.Load()
		if doubtful = stalls > 0 || s.isUnproven() || s.link.IsSuspected(); doubtful {
			pace, grace = min(pace, doubtEvery), doubtGrace
		}
		due := pace
		if woken && !doubtful {
			due -= checkSoon
		}
		if open%2 == 0 || at == "" || s.unconfirmed() < due {
			continue
		}
		if !woken {
			s.link.Gather()
		}
		// The watch of a set that was proved just now is compared, and is not silent.
		brings := s.provedWithin(due)
		mark := s.received.Mark(at, time.Now())
		last, slack := s.checkTakes(doubtful)
		found, after := s.news(ctx, mark, last, slack)
		switch {
		case s.received.IsOld(mark), // the list since then is the proof
			found == received.Lost && mark.Lists == asked: // which has not come yet
			continue
		case found == received.Lost, found == received.Expired && mark.From != at: // then it cannot be compared
			asked = mark.Lists
			s.listAgain()
			continue
		case found == received.None, found == received.Some:
			s.received.Compared(mark)
		}
		if found != received.Unknown {
			s.confirmed.Store(open) // not a watch that began during the check
		}
		if found == received.Some && brings {
			continue
		}
		if found == received.Refused || found == received.Unknown && brings {
			// That is no sign that the watch has failed, nor a proof.
			again := max(pace/2, min(pace, checkEvery))
			if !client.Sleep(ctx, max(again, min(pace, pace-s.unconfirmed())+again, after)) {
				return
			}
			if s.unconfirmed() >= max(pace, checkEvery)+again {
				s.listAgain() // the list is the proof then
			}
			continue
		}
		// Nothing is newer than what is known, also if another watch has begun from there.
		if found == received.None && (s.watching.Load() == open || s.at() == at) {
			s.link.Proves(s.source(), earlier(time.Now(), mark.At.Add(last))) // its answer may have waited
			if stalls == 0 {
				s.isWatched()
			}
			continue
		}
		if (found == received.Some || found == received.Expired) && !client.Sleep(ctx, grace) {
			return
		}
		if s.watching.Load() != open || s.at() != at || found == received.Some && s.bytes.Load() != bytes || ctx.Err() != nil {
			continue // the news came, or are coming: over a slow line, an event takes long
		}
		if found == received.Unknown || found == received.Some {
			s.link.Suspect()
		}
		if found == received.Expired {
			s.listAgain() // nothing says that the watch has failed
			continue
		}
		brought = s.brought.Load()
		if stalls++; stalls > 1 {
			// A new connection has not helped: some proxies hold back what
			// watches bring. Then this is how the set is kept in view.
			s.lists(engine.Lit("they bring nothing"))
			s.listAgain()
			continue
		}
		s.link.Fail(s.source(), client.Failure{
			Kind: client.Unreachable,
			Err:  engine.Textf("the watch of %s is stalled", engine.Clean(s.key.Kind.Plural())),
			Hint: engine.Lit("a proxy or VPN may block it; the list is read again automatically"),
		}, time.Now())
		s.listAgain()
	}
}

// breaks notes that the watch ended before its time: what ended it may hold the next one too.
func (s *stream) breaks() {
	s.broke.Store(s.watching.Load())
	s.link.Breaks(time.Now())
	select {
	case s.broken <- struct{}{}:
	default:
	}
}

// isUnproven reports whether the watch follows one that ended before its time, and no check has
// confirmed it.
func (s *stream) isUnproven() bool { return s.broke.Load() > s.confirmed.Load() }

// provedWithin reports whether the set was proved in the last d. A proof in the future
// was made before the clock was set back.
func (s *stream) provedWithin(d time.Duration) bool {
	age := time.Since(s.link.ProvedAt(s.source()))
	return age < d && age > -time.Second
}

// unconfirmed is how long ago the set was proved, or a third of s.pace less than how long its
// watch was not compared, whichever is longer: a set that changes all the time is checked
// every four seconds.
func (s *stream) unconfirmed() time.Duration {
	proved := min(time.Since(s.link.ProvedAt(s.source())), time.Hour) // an hour if it was not
	if proved < -time.Second {                                        // before the clock was set back
		proved = time.Hour
	}
	return max(proved, s.received.Age(time.Now())-s.pace/3)
}

// checkTakes returns how long the next check watches, and how much longer its answer may take.
func (s *stream) checkTakes(doubtful bool) (last, slack time.Duration) {
	// A hub that answers late is not taken for one whose watches are silent.
	late := min(2*time.Duration(s.latency.Load()), 2*checkSlack)
	last, slack = checkFor, max(checkSlack, late)
	if s.pace < link.StaleAfter && s.unconfirmed()+last+slack > link.StaleAfter {
		last = doubtWatch // so that the set does not turn stale, or stay stale, during the check
	}
	if doubtful {
		last = doubtWatch
		if !s.gates.slow.Load() {
			slack = max(doubtSlack, late)
		}
	}
	return last, slack
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// expired is how the event begins that says that the hub has forgotten the version.
const expired = `{"type":"ERROR"`

// news finds out whether the hub has changes of the set that are newer than the mark, or
// that the watch has lost. For a refusal it returns how long to wait before the next one.
// The check watches for last, and its answer may take slack longer.
func (s *stream) news(ctx context.Context, m *received.Mark, last, slack time.Duration) (received.News, time.Duration) {
	leave, err := s.enter(ctx)
	if err != nil {
		return received.Unknown, 0
	}
	defer leave()
	ctx, cancel := s.hub.Within(ctx, last+slack)
	defer cancel()
	seconds := int64(last / time.Second)
	began := time.Now()
	body, err := s.hub.Stream(ctx, s.request(metav1.ListOptions{ResourceVersion: m.From, Watch: true, TimeoutSeconds: &seconds}).
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"), client.Limits{Head: slack})
	leave()
	if err != nil {
		switch client.KindOf(err) {
		case client.Expired:
			return received.Expired, 0
		case client.Unreachable:
			return received.Unknown, 0
		}
		return received.Refused, client.RetryAfter(err)
	}
	defer body.Close() //nolint:errcheck // what was read is enough
	start := make([]byte, len(expired))
	n, err := io.ReadFull(body, start)
	if string(start) == expired {
		return received.Expired, 0 // 410 as an event
	}
	found := received.None
	if n > 0 || !m.IsEmpty() { // most checks bring nothing, and need no buffer
		found, err = m.Compare(client.NewJSONStream(io.MultiReader(bytes.NewReader(start[:n]), body)))
	}
	switch {
	case err == nil:
		return found, 0
	case errors.Is(err, io.EOF) && time.Since(began) > last*3/4:
		return found, 0
	case errors.Is(err, io.EOF):
		return received.Refused, 0 // it did not wait for news
	}
	return received.Unknown, 0
}
