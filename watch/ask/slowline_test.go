package ask

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
)

// slowLine answers a list piece by piece until it is free, and everything else after that.
type slowLine struct{ free time.Time }

// RoundTrip implements http.RoundTripper.
func (s slowLine) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r}
	if r.URL.Path == "/list" {
		answer.Body = io.NopCloser(s)
		return answer, nil
	}
	select {
	case <-time.After(time.Until(s.free)):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	answer.Body = io.NopCloser(strings.NewReader(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun","metadata":{"name":"web","uid":"u"}}`))
	return answer, nil
}

// CloseIdleConnections implements what client-go closes a transport with.
func (s slowLine) CloseIdleConnections() {}

// Read implements io.Reader.
func (s slowLine) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	if !time.Now().Before(s.free) {
		return 0, io.EOF
	}
	return copy(p, "x"), nil
}

// TestAPageWaitsBehindAList checks that a page which a person opens while a list arrives over a
// slow line comes after it, and that without a list it fails when its time is up.
func TestAPageWaitsBehindAList(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			const takes = 20 * time.Second
			h, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.invalid", Transport: slowLine{began.Add(takes)}})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			read := make(chan error)
			if arrives {
				list, err := h.Stream(t.Context(), h.Request(http.MethodGet).AbsPath("/list"), client.Limits{Head: time.Second, Progress: 3 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					_, err := io.Copy(io.Discard, list)
					read <- errors.Join(err, list.Close())
				}()
			}
			q := page.YAMLQuestion{Object: h.Name().ID(engine.KindClusterStagedUpdateRun, "", "web", "u")}
			a := New(Config{Hub: h, Seen: func() *engine.Snapshot { return nil }}).Answer(t.Context(), q)
			want := client.Deadline
			if arrives {
				want = takes
			}
			if took := time.Since(began); took != want || a.Err.IsZero() != arrives {
				t.Errorf("a list arrives %v: after %v %v", arrives, took, a.Err)
			}
			if arrives {
				if err := <-read; err != nil {
					t.Error(err)
				}
			}
		})
	}
}
