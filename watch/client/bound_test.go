package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// TestEndlessAnswers checks that an answer without end is an error after its bound,
// compressed or not, and that of an endless error of the server only the start is
// read.
func TestEndlessAnswers(t *testing.T) {
	var sent atomic.Int64
	// An eighth of it does not compress: else a whole bomb fits into the buffers on the
	// way, and the server has sent it before anybody reads.
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(chunk[:len(chunk)/8])
	var compressed bytes.Buffer // a gzip body may have any number of these
	z := gzip.NewWriter(&compressed)
	if _, err := z.Write(chunk); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		sends := chunk
		if strings.HasSuffix(r.URL.Path, "/bomb") {
			w.Header().Set("Content-Encoding", "gzip")
			sends = compressed.Bytes()
		}
		if strings.HasSuffix(r.URL.Path, "/failing") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		for sent.Load() < 4*maxAnswer {
			if _, err := w.Write(sends); err != nil {
				return
			}
			sent.Add(int64(len(chunk)))
		}
	}))
	defer hub.Close()
	c, err := New(engine.NewHubName("hub", ""), &rest.Config{Host: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, bound := range map[string]int64{"plain": maxAnswer, "bomb": maxAnswer, "failing": maxErrorBody} {
		sent.Store(0)
		_, err := c.Do(t.Context(), c.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", name))
		if name == "failing" {
			if KindOf(err) != ServerError {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			var size *SizeError
			if !errors.As(err, &size) || KindOf(err) != Unreadable || Message(err) != "the answer is larger than 128 MiB and was not read" {
				t.Errorf("%s: %v, %q", name, err, Message(err))
			}
		}
		if got := sent.Load(); got > 2*bound+32<<20 {
			t.Errorf("%s: the server sent %d MiB of an answer with a bound of %d", name, got>>20, bound>>20)
		}
	}
}

// TestBoundedBody checks that a body of just its bound is read whole.
func TestBoundedBody(t *testing.T) {
	for size, fails := range map[int]bool{9: false, 10: false, 11: true} {
		got, err := io.ReadAll(&boundedBody{arrivals: &arrivals{}, ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), left: 10, bound: 10})
		if (err != nil) != fails || !fails && len(got) != size {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
}
