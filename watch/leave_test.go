package watch

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/internal/faults"
)

// TestLeave checks that a process that ends while a write has no answer records its
// outcome as unknown, with the command that shows it, and waits no longer than it may; and
// that it waits for an answer that comes in time.
func TestLeave(t *testing.T) {
	for name, rule := range map[string]faults.Rule{
		"hangs":   {Kind: faults.Hang},
		"is slow": {Kind: faults.Delay, For: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var records []Record
			cfg := Config{Context: "prod", REST: shared.AdminConfig(), Audit: func(r Record) error {
				mu.Lock()
				defer mu.Unlock()
				records = append(records, r)
				return nil
			}}
			cfg.REST.UserAgent = "leaves"
			proxy := faults.NewProxy(nil)
			sent := make(chan struct{})
			rule.Of = func(r *http.Request) bool {
				is := r.UserAgent() == "leaves" && r.Method == http.MethodPatch
				if is {
					select {
					case <-sent:
					default:
						close(sent)
					}
				}
				return is
			}
			shared.SetIntercept(proxy.Before)
			defer shared.SetIntercept(nil)
			st := setStage(t, shared, scopes[0], "leave-"+strings.ReplaceAll(name, " ", "-"), cfg)
			if left := st.s.Leave(time.Hour); !left.IsZero() {
				t.Errorf("without a write: %s", left)
			}
			proxy.Set(rule)
			done := make(chan act.Outcome, 1)
			intent := st.propose(engine.ActStop)
			go func() { done <- st.s.Do(t.Context(), intent) }()
			<-sent
			began := time.Now()
			left := st.s.Leave(time.Second)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("Leave took %v", took)
			}
			mu.Lock()
			last := records[len(records)-1]
			mu.Unlock()
			want := "unknown"
			if name != "hangs" {
				want = "applied"
			}
			if last.Result != want {
				t.Errorf("recorded %+v", last)
			}
			if look := "kubectl --context prod get clusterstagedupdateruns "; (name == "hangs") != strings.Contains(left.String(), look) {
				t.Errorf("said %q", left)
			}
			st.s.Close()
			<-done
		})
	}
}
