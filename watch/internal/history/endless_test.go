package history

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestEndlessList checks that a list whose pages never end is cut off, is not called
// complete, and is named (docs/promises.md#i15).
func TestEndlessList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		var pages atomic.Int64
		lists := faults.Both(faults.Resource(runs), ofStream)
		s.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !lists(r) {
				s.server.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"100","continue":"more"},"items":[{"metadata":{"name":"run-%d"}}]}`, pages.Add(1))
		}))
		s.open()
		named := func(snap *engine.Snapshot) bool {
			return !snap.Complete && len(snap.Scope.Notes) > 0 && strings.Contains(fmt.Sprint(snap.Scope.Notes), "truncated at 2000 objects")
		}
		s.within(time.Minute, "a note", named)
		time.Sleep(time.Minute)
		s.drain()
		if n := pages.Load(); n > 2000 || !named(s.last) {
			t.Errorf("%d pages were read: %s", n, describe(s.last))
		}
	})
}

// TestEndlessSelection checks that a selection whose pages never end fails, and that it keeps
// nothing of objects that are no rows (docs/promises.md#i15).
func TestEndlessSelection(t *testing.T) {
	compressed(t, func(s *situation) {
		var pages atomic.Int64
		end := int64(0)
		s.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("labelSelector") == "" {
				s.server.ServeHTTP(w, r)
				return
			}
			more := "more"
			if n := pages.Add(1); end > 0 && n >= end {
				more = ""
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"100","continue":"%s"},"items":[{"metadata":{"name":"run-%d"}}]}`, more, pages.Load())
		}))
		ctx, cancel := timeout(s.t, time.Hour)
		defer cancel()
		if _, err := s.session.Select(ctx, s.last, watch.Selector{Labels: "a"}); err == nil || !strings.Contains(err.Error(), "more than 400 pages") {
			s.t.Errorf("%v after %d pages", err, pages.Load())
		}
		end = pages.Load() + 100
		if chosen, err := s.session.Select(ctx, s.last, watch.Selector{Labels: "a"}); len(chosen) > 0 || err != nil {
			s.t.Errorf("%d objects that are no rows are kept, %v", len(chosen), err)
		}
	})
}
