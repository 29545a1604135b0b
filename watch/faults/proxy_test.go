package faults

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const sets = "/apis/placement.kubernetes-fleet.io/v1beta1/things"

func thing(name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}}
}

// answers is what a client gets: the status, the body up to its end or a second without
// a byte, and how it ended.
func answers(t *testing.T, h http.Handler, path string) (code int, body, end string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hub"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&Transport{Handler: h}).RoundTrip(r)
	switch {
	case ctx.Err() != nil:
		return 0, "", "no head"
	case err != nil:
		return 0, "", "cut"
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err == nil:
		end = "whole"
	case ctx.Err() != nil:
		end = "open"
	default:
		end = "cut"
	}
	return resp.StatusCode, string(raw), end
}

// TestRules checks what each kind of fault does to a list and to a watch.
func TestRules(t *testing.T) {
	tests := []struct {
		rule        Rule
		list, watch string
		lines       int // of the watch
		code        int
	}{
		{Rule{Kind: "none"}, "whole", "open", 2, 200},
		{Rule{Kind: Cut}, "cut", "cut", 0, 0},
		{Rule{Kind: Freeze}, "no head", "no head", 0, 0},
		{Rule{Kind: FreezeUp}, "no head", "no head", 0, 0},
		{Rule{Kind: Mute}, "open", "open", 0, 200},
		{Rule{Kind: Delay, For: 500 * time.Millisecond}, "whole", "open", 2, 200},
		{Rule{Kind: Delay, For: 2 * time.Second}, "no head", "no head", 0, 0},
		{Rule{Kind: Hang}, "no head", "no head", 0, 0},
		{Rule{Kind: Silence}, "open", "open", 0, 200},
		{Rule{Kind: Status, Code: 410}, "whole", "whole", 1, 410},
		{Rule{Kind: Redirect, To: "http://elsewhere"}, "whole", "whole", 2, 307},
		{Rule{Kind: Torn}, "cut", "cut", 0, 200},
		{Rule{Kind: Duplicate}, "whole", "open", 4, 200},
		{Rule{Kind: Old}, "whole", "open", 3, 200},
		{Rule{Kind: Empty}, "whole", "whole", 0, 200},
		{Rule{Kind: HTML}, "whole", "whole", 0, 200},
		{Rule{Kind: Poison}, "whole", "whole", 1, 200},
		{Rule{Kind: Lost}, "cut", "cut", 0, 0},
	}
	for _, tt := range tests {
		t.Run(string(tt.rule.Kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewAPIServer()
				p := NewProxy(s)
				s.Put("things", thing("a"))
				s.Put("things", thing("b"))
				p.Set(tt.rule)
				code, _, end := answers(t, p, sets)
				if code != tt.code || end != tt.list {
					t.Errorf("list: %d, %s; want %d, %s", code, end, tt.code, tt.list)
				}
				if tt.rule.Kind == Lost {
					return // its watch does not end
				}
				code, body, end := answers(t, p, sets+"?watch=true&resourceVersion=100")
				if n := strings.Count(body, "\n"); code != tt.code || end != tt.watch || n != tt.lines {
					t.Errorf("watch: %d, %s, %d lines; want %d, %s, %d", code, end, n, tt.code, tt.watch, tt.lines)
				}
			})
		})
	}
}

// TestRuleMeetsOpenWatch checks the faults that meet a watch under way, and what comes
// when they are gone.
func TestRuleMeetsOpenWatch(t *testing.T) {
	for kind, want := range map[Kind]string{Freeze: "second third", Mute: "", Drop: "third", Cut: "end", Duplicate: "second second third", Old: "second third"} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewAPIServer()
				p := NewProxy(s)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hub"+sets+"?watch=true", nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := (&Transport{Handler: p}).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				done := make(chan struct{})
				go func() {
					defer close(done)
					for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
						_, name, _ := strings.Cut(lines.Text(), `"name":"`)
						name, _, _ = strings.Cut(name, `"`)
						got = append(got, name)
					}
					if ctx.Err() == nil {
						got = append(got, "end")
					}
				}()
				time.Sleep(time.Second)
				p.Set(Rule{Kind: kind})
				s.Put("things", thing("second"))
				time.Sleep(time.Second)
				if kind == Freeze && len(got) > 0 {
					t.Errorf("came through: %v", got)
				}
				p.Set()
				s.Put("things", thing("third"))
				time.Sleep(time.Second)
				cancel()
				<-done
				if strings.Join(got, " ") != want {
					t.Errorf("got %v, want %s", got, want)
				}
			})
		})
	}
}

// TestServerVersions checks what a client meets after a compaction, a restart and a
// restore.
func TestServerVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAPIServer()
		s.Put("things", thing("a"))
		backup := s.Backup()
		s.Put("things", thing("b"))
		if code, _, _ := answers(t, s, sets+"?resourceVersion=102"); code != http.StatusOK {
			t.Errorf("list of the present: %d", code)
		}
		s.Restore(backup, "other")
		if code, body, _ := answers(t, s, sets+"?resourceVersion=102"); code != http.StatusGatewayTimeout || !strings.Contains(body, "ResourceVersionTooLarge") {
			t.Errorf("list of the future: %d %s", code, body)
		}
		if _, body, end := answers(t, s, sets+"?watch=true&resourceVersion=102"); body != "" || end != "open" {
			t.Errorf("watch of the future: %q, %s", body, end)
		}
		if _, body, _ := answers(t, s, sets); strings.Contains(body, `"name":"b"`) || !strings.Contains(body, `"name":"a"`) {
			t.Errorf("restored: %s", body)
		}
		if _, body, _ := answers(t, s, "/api/v1/namespaces/kube-system"); !strings.Contains(body, "other") {
			t.Errorf("kube-system: %s", body)
		}
		s.Put("things", thing("c"))
		s.Compact()
		if code, _, _ := answers(t, s, sets+"?watch=true&resourceVersion=101"); code != http.StatusGone {
			t.Errorf("watch of a forgotten version: %d", code)
		}
		if _, body, _ := answers(t, s, sets+"?limit=1"); !strings.Contains(body, `"continue":"/a"`) || strings.Contains(body, `"name":"c"`) {
			t.Errorf("first page: %s", body)
		}
		if _, body, _ := answers(t, s, sets+"?limit=1&continue=/a"); !strings.Contains(body, `"name":"c"`) || strings.Contains(body, `"continue"`) {
			t.Errorf("last page: %s", body)
		}
	})
}

// TestReplica checks what a client meets at a server whose cache lags behind the store.
func TestReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewAPIServer()
		b := s.Replica()
		s.Put("things", thing("a"))
		time.Sleep(time.Second)
		b.SetLag(10 * time.Second)
		s.Put("things", thing("b"))
		has := func(query, name string) bool {
			_, body, _ := answers(t, b, sets+query)
			return strings.Contains(body, `"name":"`+name+`"`)
		}
		if !has("?resourceVersion=0", "a") || has("?resourceVersion=0", "b") || !has("", "b") {
			t.Error("the cache has what is new, or lacks what it had")
		}
		if has("?watch=true&resourceVersion=101", "b") {
			t.Error("a watch brings what is new")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hub"+sets+"?resourceVersion=102", nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		resp, err := (&Transport{Handler: b}).RoundTrip(r)
		if err != nil || resp.StatusCode != http.StatusGatewayTimeout || time.Since(began) != freshWait {
			t.Errorf("list of what the cache has not: %v, %v after %v", resp, err, time.Since(began))
		}
		resp.Body.Close()
		time.Sleep(6 * time.Second)
		if !has("?watch=true&resourceVersion=101", "b") || !has("?resourceVersion=0", "b") {
			t.Error("the cache lacks what was new ten seconds ago")
		}
		s.Put("things", thing("c"))
		b.Restart()
		if code, _, _ := answers(t, b, sets+"?watch=true&resourceVersion=101"); code != http.StatusGone {
			t.Errorf("watch of what a new cache has not: %d", code)
		}
		if !has("?resourceVersion=0", "c") {
			t.Error("a new cache lacks what the store has")
		}
		b.SetLag(0)
		s.Put("things", thing("d"))
		if !has("?watch=true&resourceVersion=103", "d") {
			t.Error("a watch without lag lacks what is new")
		}
	})
}

// TestOverTheNetwork checks that a Proxy works in front of a server on the network.
func TestOverTheNetwork(t *testing.T) {
	server := httptest.NewServer(NewAPIServer())
	defer server.Close()
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := NewProxy(httputil.NewSingleHostReverseProxy(to))
	front := httptest.NewServer(p)
	defer front.Close()
	get := func() int {
		resp, err := http.Get(front.URL + sets)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if code := get(); code != http.StatusOK {
		t.Errorf("without a rule: %d", code)
	}
	p.Set(Rule{Kind: Status, Code: http.StatusForbidden})
	if code := get(); code != http.StatusForbidden {
		t.Errorf("forbidden: %d", code)
	}
	p.Set(Rule{Kind: Cut})
	if code := get(); code != 0 {
		t.Errorf("cut: %d", code)
	}
}

// TestCutWhileItWaits checks that a request which waits when its connection is cut does not reach the
// server: what that has later would be an answer of the past.
func TestCutWhileItWaits(t *testing.T) {
	for _, rule := range []Rule{{Kind: Delay, For: time.Hour}, {Kind: FreezeUp}} {
		synctest.Test(t, func(t *testing.T) {
			var reached atomic.Bool
			proxy := NewProxy(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
			proxy.Set(rule)
			done := make(chan error)
			go func() {
				req := httptest.NewRequest(http.MethodGet, "/apis/g/v1/things", nil)
				_, err := (&Transport{Handler: proxy}).RoundTrip(req)
				done <- err
			}()
			synctest.Wait()
			proxy.SetServer(NewAPIServer())
			if err := <-done; err == nil || reached.Load() {
				t.Errorf("%s: got %v, the server has the request: %v", rule.Kind, err, reached.Load())
			}
		})
	}
}
