package faults

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Proxy passes requests on to an API server and applies Rules to them.
type Proxy struct {
	mu      sync.Mutex
	next    http.Handler
	rules   []Rule
	changed chan struct{} // closed and replaced by Set
	passing map[*passing]struct{}
	most    int
	seen    func(*http.Request)
	counted func(*http.Request) bool
}

// NewProxy returns a Proxy to next without rules.
func NewProxy(next http.Handler) *Proxy {
	return &Proxy{next: next, changed: make(chan struct{}), passing: map[*passing]struct{}{}}
}

// Set replaces the rules. Answers under way that a new rule cuts end at once.
func (p *Proxy) Set(rules ...Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
	close(p.changed)
	p.changed = make(chan struct{})
	for w := range p.passing {
		if r := find(rules, w.r, Cut); r != nil {
			w.cut()
		}
		if r := find(rules, w.r, Mute); r != nil {
			w.muted = true
		}
	}
}

// Rules returns the rules that are set.
func (p *Proxy) Rules() []Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules
}

// SetServer passes requests from now on to another API server, and cuts those under way.
func (p *Proxy) SetServer(next http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = next
	for w := range p.passing {
		w.cut()
	}
}

// Observe calls seen with every request before its rules apply.
func (p *Proxy) Observe(seen func(*http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = seen
}

// Count selects the lists that MostLists counts.
func (p *Proxy) Count(of func(*http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = of
}

// MostLists is how many lists of one set were under way at the same time.
func (p *Proxy) MostLists() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// passing is a request under way.
type passing struct {
	http.ResponseWriter
	p      *Proxy
	r      *http.Request
	end    context.CancelFunc
	broken bool // by a cut; guarded by p.mu
	muted  bool // guarded by p.mu
	line   []byte
	last   []byte // the previous line of a watch
	headed bool
	status int
	set    string // that it lists
}

// cut is called with p.mu held.
func (w *passing) cut() {
	w.broken = true
	w.end()
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	next := p.next
	p.mu.Unlock()
	p.serve(next, rw, r)
}

// Before returns a handler that passes requests on to next instead.
func (p *Proxy) Before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { p.serve(next, rw, r) })
}

func (p *Proxy) serve(next http.Handler, rw http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	r = r.WithContext(ctx)
	w := &passing{ResponseWriter: rw, p: p, r: r, end: end}
	p.mu.Lock()
	p.passing[w] = struct{}{}
	rules, seen := p.rules, p.seen
	if p.counted != nil && p.counted(r) {
		w.set = r.URL.Path + "?" + r.URL.Query().Get("labelSelector")
		lists := 0
		for other := range p.passing {
			if other.set == w.set && other.r.Context().Err() == nil {
				lists++
			}
		}
		p.most = max(p.most, lists)
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.passing, w)
		broken := w.broken
		p.mu.Unlock()
		if broken {
			panic(http.ErrAbortHandler)
		}
	}()
	if seen != nil {
		seen(r)
	}
	if w.before(rules, next) && ctx.Err() == nil { // a cut while it waited has lost the request
		next.ServeHTTP(w, r)
		w.finish()
	}
}

// before applies what happens to a request before the server has it. It reports whether
// the server gets it.
func (w *passing) before(rules []Rule, next http.Handler) bool {
	for i := range rules {
		rule := &rules[i]
		if !rule.matches(w.r) {
			continue
		}
		switch rule.Kind {
		case Cut:
			panic(http.ErrAbortHandler)
		case FreezeUp:
			w.hold(FreezeUp)
		case Mute:
			w.p.mu.Lock()
			w.muted = true
			w.p.mu.Unlock()
		case Delay:
			select {
			case <-time.After(rule.For):
			case <-w.r.Context().Done():
			}
		case Hang:
			<-w.r.Context().Done()
			return false
		case Silence:
			w.ResponseWriter.Header().Set("Content-Type", "application/json")
			w.ResponseWriter.WriteHeader(http.StatusOK)
			w.flush()
			<-w.r.Context().Done()
			return false
		case Status:
			if rule.RetryAfter > 0 {
				w.ResponseWriter.Header().Set("Retry-After", strconv.Itoa(rule.RetryAfter))
			}
			status(w.ResponseWriter, rule.Code, "a fault", nil)
			return false
		case Empty:
			w.ResponseWriter.WriteHeader(http.StatusOK)
			return false
		case HTML:
			w.ResponseWriter.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w.ResponseWriter, "<html>please log in</html>") //nolint:errcheck // the client is gone
			return false
		case Poison:
			fmt.Fprintf(w.ResponseWriter, `{"type":"ERROR","object":%s}`+"\n", object{"kind": "Status", "status": "Failure", "code": 500, "message": "a fault"}.raw()) //nolint:errcheck // the client is gone
			return false
		case Redirect:
			http.Redirect(w.ResponseWriter, w.r, rule.To, http.StatusTemporaryRedirect)
			return false
		case Lost:
			next.ServeHTTP(httptest.NewRecorder(), w.r)
			panic(http.ErrAbortHandler)
		}
	}
	return true
}

// find returns the first rule of one of the kinds for a request.
func find(rules []Rule, r *http.Request, kinds ...Kind) *Rule {
	for i := range rules {
		if slices.Contains(kinds, rules[i].Kind) && rules[i].matches(r) {
			return &rules[i]
		}
	}
	return nil
}

// hold waits while a rule of the kind is set.
func (w *passing) hold(kind Kind) {
	for {
		w.p.mu.Lock()
		held, changed := find(w.p.rules, w.r, kind) != nil, w.p.changed
		w.p.mu.Unlock()
		if !held {
			return
		}
		select {
		case <-changed:
		case <-w.r.Context().Done():
			return
		}
	}
}

// now returns the rule of one of the kinds that is set, and whether the answer is muted.
func (w *passing) now(kinds ...Kind) (*Rule, bool) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	return find(w.p.rules, w.r, kinds...), w.muted
}

// WriteHeader implements http.ResponseWriter.
func (w *passing) WriteHeader(code int) {
	w.headed, w.status = true, code
	w.hold(Freeze)
	if rule, _ := w.now(Skew); rule != nil {
		w.Header().Set("Date", time.Now().Add(rule.For).UTC().Format(http.TimeFormat))
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *passing) Write(b []byte) (int, error) {
	if !w.headed {
		w.WriteHeader(http.StatusOK)
	}
	w.hold(Freeze)
	rule, muted := w.now(Torn, Duplicate, Old, Drop)
	switch {
	case muted, rule != nil && rule.Kind == Drop && Watches(w.r):
		return len(b), nil
	case rule == nil && len(w.line) == 0:
		return w.ResponseWriter.Write(b)
	case rule != nil && rule.Kind == Torn:
		if _, err := w.ResponseWriter.Write(b[:len(b)/2]); err != nil {
			return 0, err
		}
		w.flush()
		w.p.mu.Lock()
		w.cut()
		w.p.mu.Unlock()
		return 0, http.ErrAbortHandler
	case !Watches(w.r):
		return w.ResponseWriter.Write(b)
	}
	w.line = append(w.line, b...)
	for {
		end := bytes.IndexByte(w.line, '\n')
		if end < 0 {
			return len(b), nil
		}
		line := bytes.Clone(w.line[:end+1])
		w.line = w.line[end+1:]
		out := line
		if rule != nil && rule.Kind == Duplicate {
			out = slices.Concat(line, line)
		} else if rule != nil {
			out = slices.Concat(line, w.last)
		}
		w.last = line
		if _, err := w.ResponseWriter.Write(out); err != nil {
			return 0, err
		}
	}
}

// Flush implements http.Flusher.
func (w *passing) Flush() {
	if !w.headed {
		w.WriteHeader(http.StatusOK)
	}
	w.flush()
}

func (w *passing) flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// CloseNotify is required of the writer of a watch by API servers.
func (w *passing) CloseNotify() <-chan bool { return nil }

// Unwrap lets http.ResponseController find the writer inside.
func (w *passing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish keeps an answer open whose end was dropped.
func (w *passing) finish() {
	if _, muted := w.now(); muted {
		<-w.r.Context().Done()
	}
}

// status answers with a Status object.
func status(w http.ResponseWriter, code int, message string, details any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	body := object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}
	switch code {
	case http.StatusGone:
		body["reason"] = "Expired"
	case http.StatusNotFound:
		body["reason"] = "NotFound"
	case http.StatusForbidden:
		body["reason"] = "Forbidden"
	case http.StatusUnauthorized:
		body["reason"] = "Unauthorized"
	case http.StatusConflict:
		body["reason"] = "Conflict"
	case http.StatusTooManyRequests:
		body["reason"] = "TooManyRequests"
	case http.StatusGatewayTimeout:
		body["reason"] = "Timeout"
	case http.StatusInternalServerError:
		body["reason"] = "InternalError"
	}
	if details != nil {
		body["details"] = details
	}
	fmt.Fprintln(w, string(body.raw())) //nolint:errcheck // the client is gone
}
