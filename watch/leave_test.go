package watch

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestLeave checks that a process that ends while a write has no answer records its
// outcome as unknown, with the command that shows it, and waits no longer than it may; that
// it waits for an answer that comes in time; and that it sends nothing that was not sent yet.
func TestLeave(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		act              engine.Act
		method           string // of the request that meets the fault
		rule             faults.Rule
		recorded, result string
		says             string
		records          int // the act that hangs records what it finds out later, too
		wait             time.Duration
	}{
		"hangs": {engine.ActStop, http.MethodPatch, faults.Rule{Kind: faults.Hang}, "unknown", "", "find out with: kubectl --context prod get clusterstagedupdateruns ", 3, time.Second},
		// However slow the hub is beside this, its answer comes in time.
		"is slow":            {engine.ActStop, http.MethodPatch, faults.Rule{Kind: faults.Delay, For: 300 * time.Millisecond}, "applied", "applied", "", 2, time.Hour},
		"before the request": {engine.ActApprove, http.MethodGet, faults.Rule{Kind: faults.Delay, For: 300 * time.Millisecond}, "not-applied", "not applied", "interrupted; nothing was sent", 2, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			rule := tt.rule
			var written atomic.Int32
			var mu sync.Mutex
			var records []Record
			cfg := Config{Context: "prod", REST: shared.AdminConfig(), Audit: func(r Record) error {
				mu.Lock()
				defer mu.Unlock()
				records = append(records, r)
				return nil
			}}
			proxy := faults.NewProxy(nil)
			sent := make(chan struct{})
			rule.Of = func(r *http.Request) bool {
				if r.Method == http.MethodPatch || r.Method == http.MethodPut {
					written.Add(1)
				}
				is := r.Method == tt.method && (strings.Contains(r.URL.Path, "/clusterstagedupdateruns/") || strings.Contains(r.URL.Path, "/clusterapprovalrequests/"))
				if is {
					select {
					case <-sent:
					default:
						close(sent)
					}
				}
				return is
			}
			onWay(t, t.Name(), proxy.Before)
			st := setStage(t, shared, scopes[0], "leave-"+strings.ReplaceAll(name, " ", "-"), cfg)
			proxy.Set(rule)
			done := make(chan act.Outcome, 1)
			intent := st.propose(tt.act)
			go func() { done <- st.s.Do(t.Context(), intent) }()
			<-sent
			began := time.Now()
			left := st.s.Leave(tt.wait)
			if took := time.Since(began); took > tt.wait+4*time.Second {
				t.Errorf("Leave took %v", took)
			}
			mu.Lock()
			last := records[len(records)-1]
			mu.Unlock()
			if last.Result != tt.recorded {
				t.Errorf("recorded %+v", last)
			}
			if left.IsZero() != (tt.says == "") || !strings.Contains(left.String(), tt.says) {
				t.Errorf("said %q", left)
			}
			if tt.result == "" {
				st.s.Close()
			}
			if out := <-done; tt.result != "" && out.Result.String() != tt.result {
				t.Errorf("outcome %v", out.Result)
			}
			st.s.Close()
			if n := written.Load(); (n > 0) != (tt.method == http.MethodPatch) {
				t.Errorf("%d requests that write", n)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(records) != tt.records {
				t.Errorf("recorded %+v", records)
			}
			if left := st.s.Leave(time.Hour); !left.IsZero() {
				t.Errorf("after the write: %s", left)
			}
		})
	}
}
