package watch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// TestDoLostAndTakenBack loses the answer to a write that was carried out, and
// lets somebody undo it before the re-read. It must not be reported as not done.
func TestDoLostAndTakenBack(t *testing.T) {
	t.Parallel()
	const notServed, silent, lagging, left = "not served", "silent", "lagging", "left"
	tests := []struct {
		name string
		act  engine.Act
		// applies is whether the hub carries the write out; undo is what others do
		// then.
		applies bool
		undo    func(*stage)
		// unwatched says that the hub returns no past states: notServed an error, silent no event,
		// and lagging none before it was asked for a state that is not older than a version; or left,
		// that the person leaves before the connection breaks.
		unwatched string
		want      act.Result
		says      string
	}{
		{"approval-removed", engine.ActApprove, true, clearApproval, "", act.ResultApplied, "the approval of approval-removed-before-prod was removed since"},
		{"approval-removed-unwatched", engine.ActApprove, true, clearApproval, notServed, act.ResultUnknown, "may have been stored and removed"},
		{"approval-deleted", engine.ActApprove, true, func(st *stage) { st.remove(st.ask) }, "", act.ResultApplied, "was deleted since"},
		{"approval-deleted-unwatched", engine.ActApprove, true, func(st *stage) { st.remove(st.ask) }, notServed, act.ResultUnknown, "was deleted"},
		{"approval-deleted-silent", engine.ActApprove, true, func(st *stage) { st.remove(st.ask) }, silent, act.ResultUnknown, "was deleted"},
		{"approval-deleted-lagging", engine.ActApprove, true, func(st *stage) { st.remove(st.ask) }, lagging, act.ResultApplied, "was deleted since"},
		// The person leaves while the request is on its way: what became of it still matters.
		{"approval-deleted-left", engine.ActApprove, true, func(st *stage) { st.remove(st.ask) }, left, act.ResultApplied, "was deleted since"},
		{"clone-not-created-left", engine.ActClone, false, func(*stage) {}, left, act.ResultNotApplied, "no answer ("},
		{"clone-deleted-lagging", engine.ActClone, true, removeClone, lagging, act.ResultApplied, "clone-deleted-lagging-2 was deleted since"},
		{"approval-accepted", engine.ActApprove, true, func(st *stage) { setConditions(st, "ApprovalAccepted") }, notServed, act.ResultApplied, "has accepted an approval"},
		{"approval-in-task", engine.ActApprove, true, func(st *stage) {
			clearApproval(st)
			approveTask(st)
		}, notServed, act.ResultApplied, "has accepted an approval"},
		{"approval-not-stored", engine.ActApprove, false, func(st *stage) { setConditions(st, "Reviewed") }, "", act.ResultNotApplied, "cannot take effect later"},
		{"clone-deleted", engine.ActClone, true, removeClone, "", act.ResultApplied, "clone-deleted-2 was deleted since"},
		{"clone-deleted-unwatched", engine.ActClone, true, removeClone, notServed, act.ResultUnknown, "was created and deleted"},
		{"clone-not-created", engine.ActClone, false, func(*stage) {}, "", act.ResultNotApplied, "no answer ("},
		{"clone-not-created-unwatched", engine.ActClone, false, func(*stage) {}, notServed, act.ResultUnknown, "was not created, or"},
		{"delete-made-again", engine.ActDelete, true, func(st *stage) {
			st.make(aRun(st.t, "", "delete-made-again", "x", "Run", "UpdateRunWaiting"))
		}, "", act.ResultApplied, "it was applied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, shared, scopes[0], tt.name, Config{})
			i := st.propose(tt.act)
			var sent atomic.Int32
			var caughtUp atomic.Bool
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			onWay(t, t.Name(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					query := r.URL.Query()
					past := strings.HasPrefix(query.Get("fieldSelector"), "metadata.name="+tt.name)
					if past && query.Get("resourceVersionMatch") == "NotOlderThan" {
						caughtUp.Store(true)
					}
					ours := strings.Contains(r.URL.Path, tt.name) || r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns")
					switch {
					case past && tt.unwatched == notServed:
						http.Error(w, "gone", http.StatusGone)
					case past && query.Has("watch") && (tt.unwatched == silent || tt.unwatched == lagging && !caughtUp.Load()):
						w.WriteHeader(http.StatusOK)
					case r.Method == http.MethodGet || !ours || sent.Add(1) > 1:
						next.ServeHTTP(w, r)
					default:
						if tt.applies {
							next.ServeHTTP(deaf{}, r)
						}
						tt.undo(st)
						if tt.unwatched == left {
							leave()
						}
						panic(http.ErrAbortHandler)
					}
				})
			})
			out := st.s.Do(ctx, i)
			if out.Result != tt.want || !strings.Contains(out.What.String(), tt.says) {
				t.Errorf("outcome %v: %v, want %v with %q", out.Result, out.What, tt.want, tt.says)
			}
			if tt.act == engine.ActClone && (out.Result == act.ResultApplied) == out.Made.IsZero() {
				t.Errorf("made %v", out.Made)
			}
		})
	}
}

func clearApproval(st *stage) { setConditions(st) }

// setConditions leaves the approval request with these conditions alone.
func setConditions(st *stage, kinds ...string) {
	st.putStatus(st.refresh(st.ask, func(o map[string]any) {
		list := []any{}
		for _, kind := range kinds {
			list = append(list, map[string]any{
				"type": kind, "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2026-11-20T10:00:00Z", "observedGeneration": 1,
			})
		}
		o["status"] = map[string]any{"conditions": list}
	}))
}

// approveTask writes into the run that its approval task is approved.
func approveTask(st *stage) {
	st.putStatus(st.refresh(st.run, func(o map[string]any) {
		for _, stage := range o["status"].(map[string]any)["stagesStatus"].([]any) {
			stage.(map[string]any)["beforeStageTaskStatus"] = []any{map[string]any{
				"type": "Approval", "approvalRequestName": st.ask["metadata"].(map[string]any)["name"], "conditions": []any{map[string]any{
					"type": "ApprovalRequestApproved", "status": "True", "reason": "r", "message": "", "lastTransitionTime": "2026-11-20T10:00:00Z",
				}},
			}}
		}
	}))
}

func removeClone(st *stage) {
	name := st.run["metadata"].(map[string]any)["name"].(string) + "-2"
	st.remove(aRun(st.t, "", name, name, "Run", "UpdateRunWaiting"))
}

// TestApproveWhenTheHubGoesAway takes the hub away between an approval and its
// answer.
func TestApproveWhenTheHubGoesAway(t *testing.T) {
	t.Parallel()
	h := ownHub(t)
	for n, tt := range []struct {
		name string
		// arrives says that the hub stores the approval before it goes away, cut
		// that only the connection breaks, back that the hub is back for the re-read.
		arrives, cut, back bool
		want               act.Result
		says               string
	}{
		{"stored, connection cut", true, true, true, act.ResultApplied, "it was applied"},
		{"not stored, connection cut", false, true, true, act.ResultNotApplied, "no answer ("},
		{"stored, hub back", true, false, true, act.ResultApplied, "it was applied"},
		{"not stored, hub back", false, false, true, act.ResultNotApplied, "no answer ("},
		{"stored, hub down", true, false, false, act.ResultUnknown, "the outcome could not be read"},
		{"not stored, hub down", false, false, false, act.ResultUnknown, "the outcome could not be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := setStage(t, h, scopes[0], fmt.Sprint("leave-", n), Config{})
			// How long the API server takes to start is not what this test is about.
			st.s.writes.Reread = time.Minute
			if !tt.back {
				st.s.writes.Reread = time.Second
			}
			i := st.propose(engine.ActApprove)
			gone := make(chan error, 1)
			var sent atomic.Int32
			h.SetIntercept(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPut {
						next.ServeHTTP(w, r)
						return
					}
					sent.Add(1)
					if tt.arrives {
						next.ServeHTTP(deaf{}, r)
					}
					go func() {
						var err error
						if tt.cut {
							h.CutConnections()
						} else {
							err = h.StopAPI()
						}
						if tt.back && !tt.cut && err == nil {
							err = h.StartAPI(context.Background())
						}
						gone <- err
					}()
					<-r.Context().Done()
					panic(http.ErrAbortHandler)
				})
			})
			out := st.s.Do(t.Context(), i)
			if err := <-gone; err != nil {
				t.Fatal(err)
			}
			h.SetIntercept(nil)
			if out.Result != tt.want || !strings.Contains(out.What.String(), tt.says) {
				t.Errorf("outcome %v: %v, want %v with %q", out.Result, out.What, tt.want, tt.says)
			}
			if n := sent.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
			if !tt.back {
				if err := h.StartAPI(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			stored := conditions(st.get(st.ask))["Approved"] != nil
			if stored != tt.arrives {
				t.Errorf("the approval is stored: %t, want %t", stored, tt.arrives)
			}
		})
	}
}
