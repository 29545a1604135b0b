package watch

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// collected are the lines of a log, and what it is of.
type collected struct {
	of    []string
	lines chan string
}

func (c *collected) output() LogOutput {
	return LogOutput{
		Of:   func(of engine.Text) { c.of = append(c.of, of.String()) },
		Line: func(line engine.Text) { c.lines <- line.String() },
	}
}

// follows follows the log of a container: each line is there before the next one is written, without
// what a terminal would obey, and the end of the container ends it; so does a context.
func follows(t *testing.T, s *Session, member *aMember, q page.Question) {
	t.Helper()
	of := LogRange{Follow: true, Tail: 5, Since: 90 * time.Second}
	for _, ends := range []bool{true, false} {
		got, ended := &collected{lines: make(chan string)}, make(chan page.Answer)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		member.written = make(chan string)
		go func() { ended <- s.asks.Stream(ctx, q, of, got.output()) }()
		for _, l := range [][2]string{{"one\x1b[31m\n", "one"}, {"two\ttabs\n", "two    tabs"}, {strings.Repeat("x", 1<<17) + "\n", "x"}, {"three\n", "three"}} {
			select {
			case member.written <- l[0]:
			case a := <-ended:
				t.Fatalf("it ends with %+v", a)
			}
			if line := <-got.lines; !strings.HasPrefix(line, l[1]) || strings.Contains(line, "\x1b") || len(line) >= 1<<17 {
				t.Errorf("written %.20q, got %.20q", l[0], line)
			}
		}
		if ends {
			close(member.written)
		} else {
			cancel()
		}
		if a := <-ended; !a.Unread.IsZero() || ends && !a.Err.IsZero() {
			t.Errorf("it ends with %+v", a)
		}
		if !ends {
			close(member.written)
		}
		if len(got.of) != 1 || !strings.HasPrefix(got.of[0], "pod shop/web-new, container web on pods-a") {
			t.Errorf("it is of %q", got.of)
		}
	}
}

// TestStreamControllerLog streams what the controller logs about a run, and says why there is none.
func TestStreamControllerLog(t *testing.T) {
	lines := `I0820 "Started" updateRun="/logs-r1"` + "\n" + `I0820 "Started" updateRun="/logs-r2"` + "\n" + `I0820 "Ended" updateRun="logs-r1"`
	for _, tt := range []struct {
		name, pods string
		code       int
		want       []string
		says       string
	}{
		{"lines of the run", `{"items":[{"metadata":{"name":"agent-1"}}]}`, http.StatusOK, []string{`I0820 "Started" updateRun="/logs-r1"`, `I0820 "Ended" updateRun="logs-r1"`}, ""},
		{"no pods", `{"items":[]}`, http.StatusOK, nil, "namespace fleet-system has no pods with label"},
		{"no log", `{"items":[{"metadata":{"name":"agent-1"}}]}`, http.StatusBadRequest, nil, "no log yet"},
		{"no right to the log", `{"items":[{"metadata":{"name":"agent-1"}}]}`, http.StatusForbidden, nil, "no log yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := tt.pods
				switch {
				case !strings.HasSuffix(r.URL.Path, "/log"):
					w.Header().Set("Content-Type", "application/json")
				case tt.code == http.StatusOK:
					body = lines
				default:
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(tt.code)
					body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + map[int]string{400: "BadRequest", 403: "Forbidden"}[tt.code] + `","code":` + map[int]string{400: "400", 403: "403"}[tt.code] + `,"message":"no log yet"}`
				}
				if _, err := w.Write([]byte(body)); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			s := openSession(t, Config{REST: &rest.Config{Host: server.URL}, Context: "hub"})
			got := &collected{lines: make(chan string, 10)}
			a := s.asks.Stream(t.Context(), page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "logs-r1", "u")}, LogRange{Tail: -1}, got.output())
			close(got.lines)
			if all := slices.Collect(func(yield func(string) bool) {
				for l := range got.lines {
					if !yield(l) {
						return
					}
				}
			}); !slices.Equal(all, tt.want) {
				t.Errorf("lines %q, want %q", all, tt.want)
			}
			if says := a.Unread.String() + a.Err.String(); !strings.Contains(says, tt.says) || (says == "") != (tt.says == "") || a.Err.IsZero() == (tt.code == http.StatusForbidden) {
				t.Errorf("says %q, want %q", says, tt.says)
			}
		})
	}
}

// TestTailOfControllerLog counts the lines about the run for --tail, not those about other runs, and
// follows what is written from then on, for which it does not read the log again.
func TestTailOfControllerLog(t *testing.T) {
	about := func(run string, n int) string { return fmt.Sprintf("I0820 %d updateRun=%q\n", n, run) }
	var stamps []time.Time // of the lines; the last three and the first of those that follow are of one second
	for _, ms := range []int{0, 4000, 6999, 7000, 7001, 7001, 7001, 9000} {
		stamps = append(stamps, time.Date(2026, 8, 20, 10, 0, 0, ms*1e6, time.UTC))
	}
	sinceTime := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return time.Time{}
		}
		return at
	}
	for name, tt := range map[string]struct {
		of    LogRange
		want  []int
		asked []string
	}{
		"tail":                     {LogRange{Tail: 2}, []int{2, 3}, []string{""}},
		"tail and since":           {LogRange{Tail: 1, Since: time.Minute}, []int{3}, []string{"sinceSeconds=60"}},
		"more than there are":      {LogRange{Tail: 9}, []int{1, 2, 3}, []string{""}},
		"tail and follow":          {LogRange{Tail: 2, Follow: true}, []int{2, 3, 4}, []string{"timestamps=true", "follow=true&sinceTime=2026-08-20T10%3A00%3A07Z&timestamps=true"}},
		"no times in front":        {LogRange{Tail: 2, Follow: true}, []int{2, 3, 4}, []string{"timestamps=true", "follow=true"}},
		"only what is written now": {LogRange{Follow: true}, []int{4}, []string{"follow=true&tailLines=0"}},
		"since and follow":         {LogRange{Tail: 1, Follow: true, Since: time.Minute}, []int{3, 4}, []string{"sinceSeconds=60&timestamps=true", "follow=true&sinceTime=2026-08-20T10%3A00%3A07Z&timestamps=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := `{"items":[{"metadata":{"name":"agent-1"}}]}`
				if !strings.HasSuffix(r.URL.Path, "/log") {
					w.Header().Set("Content-Type", "application/json")
				} else {
					asked = append(asked, strings.TrimPrefix(strings.TrimPrefix(r.URL.RawQuery, "container=hub-agent"), "&"))
					q := r.URL.Query()
					lines := []string{about("run-1", 1), about("run-1", 2), about("other", 1), about("other", 2), about("other", 3), about("run-1", 3)}
					if q.Get("follow") != "" {
						lines = append(lines, about("other", 4), about("run-1", 4)) // those that are written while it is read
					}
					body = ""
					for i, l := range lines {
						at := stamps[i]
						if q.Get("tailLines") == "0" && i < 6 || at.Before(sinceTime(q.Get("sinceTime"))) {
							continue
						}
						if q.Get("timestamps") != "" && name != "no times in front" {
							body += at.Format(time.RFC3339Nano) + " "
						}
						body += l
					}
				}
				if _, err := w.Write([]byte(body)); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			s := openSession(t, Config{REST: &rest.Config{Host: server.URL}, Context: "hub"})
			got := &collected{lines: make(chan string, 10)}
			if a := s.asks.Stream(t.Context(), page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "run-1", "u")}, tt.of, got.output()); !a.Err.IsZero() || !a.Unread.IsZero() {
				t.Fatalf("it ends with %+v", a)
			}
			close(got.lines)
			var all, want []string
			for l := range got.lines {
				all = append(all, l+"\n")
			}
			for _, n := range tt.want {
				want = append(want, about("run-1", n))
			}
			if !slices.Equal(all, want) || !slices.Equal(asked, tt.asked) {
				t.Errorf("lines %q of %q, want %q of %q", all, asked, want, tt.asked)
			}
		})
	}
}
