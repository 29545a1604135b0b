package hub

import (
	"context"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
)

// TestRequestsDoNotWaitForLaterOnes checks that a hub to which somebody sends requests all the
// time says which there were: those that arrived before the call.
func TestRequestsDoNotWaitForLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRequestLog(10, nil)
		note := func(id types.UID, stage auditapi.Stage) {
			l.ProcessEvents(&auditapi.Event{AuditID: id, Stage: stage, Verb: "list"})
		}
		note("before", auditapi.StageRequestReceived)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all []Request
		var err error
		done := false
		go func() { all, err = l.all(ctx); done = true }()
		synctest.Wait()
		if done {
			t.Fatal("did not wait for the answer of a request that had arrived")
		}
		note("later", auditapi.StageRequestReceived)
		note("before", auditapi.StageResponseComplete)
		synctest.Wait()
		if !done || err != nil || len(all) != 1 {
			t.Errorf("done %v with %d requests, %v", done, len(all), err)
		}
	})
}
