package link

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// oneList answers only lists of approval requests, a byte every tenth of a second.
type oneList struct {
	isBack *atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (o oneList) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "approvalrequests") {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	body := oneBody{oneList: o, ctx: r.Context()}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(body)}, nil
}

// oneBody is the list.
type oneBody struct {
	oneList
	ctx context.Context
}

// Read implements io.Reader.
func (o oneBody) Read(p []byte) (int, error) {
	for came := false; !came; came = o.isBack.Load() {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-o.ctx.Done():
			return 0, o.ctx.Err()
		}
	}
	p[0] = ' '
	return 1, nil
}

// TestAListThatArrivesEndsASilence: after an interruption, lists that timed out do not count against
// their sets, also if only a list arrives and no probe is answered behind it.
func TestAListThatArrivesEndsASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var isBack atomic.Bool
		hub, err := client.New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: oneList{isBack: &isBack}})
		if err != nil {
			t.Fatal(err)
		}
		l := New(time.Now(), true, func() {})
		recovered := make(chan time.Time, 10)
		l.Open("runs", world.CoverAll(engine.KindStagedUpdateRun), time.Now(), func(_ bool, silent time.Time) { recovered <- silent })
		l.Load()
		l.Proves("runs", time.Now())
		heard := time.Now()
		l.OK(sourceProbe, heard)

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go l.Probe(ctx, hub, ProbeConfig{})
		list, err := hub.Stream(ctx, hub.At(http.MethodGet, engine.KindApprovalRequest, "", ""), client.Limits{Progress: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		arrived := make(chan error)
		go func() {
			_, err := io.Copy(io.Discard, list)
			arrived <- err
		}()
		time.Sleep(20 * time.Second)
		if v, _ := l.View(time.Now(), 0); v.State != engine.LinkReconnecting || len(recovered) > 0 {
			t.Fatalf("while nothing comes: %v, recovered %d times", v.State, len(recovered))
		}
		isBack.Store(true)
		time.Sleep(70 * time.Second) // a probe waits for a minute behind a list that arrives
		select {
		case silent := <-recovered:
			if !silent.Equal(heard) {
				t.Errorf("silent since %v, want %v", silent, heard)
			}
		default:
			t.Error("the hub has not recovered, although a list arrives")
		}
		if len(recovered) > 0 {
			t.Error("it recovered twice")
		}
		if err := list.Close(); err != nil {
			t.Error(err)
		}
		if err := <-arrived; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
