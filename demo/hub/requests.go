package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Request is one request that reached the API, as its own audit saw it.
type Request struct {
	// At is when the request arrived.
	At time.Time
	// User is the name of whoever sent it; empty when the login failed.
	User string
	// Agent is the User-Agent that the client gave.
	Agent string
	// Verb is the API's verb: get, list, watch, create, update, patch, delete,
	// deletecollection; for other paths the HTTP method in lower case.
	Verb string
	// URI is the path with its query, as sent.
	URI string
	// Group, Resource, Subresource, Namespace and Name say what it is about;
	// empty where the path does not say it.
	Group, Resource, Subresource, Namespace, Name string
	// DryRun is true for a request with dryRun=All.
	DryRun bool
	// Body is what was sent, for requests that change something: the object as
	// JSON, or the patch as it came.
	Body []byte
	// Code is the HTTP status of the answer; 0 while there is none.
	Code int
}

// Mutating reports whether the request changes something if it succeeds. Self
// reviews are created but store nothing, so they do not.
func (r Request) Mutating() bool {
	switch r.Verb {
	case "create":
		return r.Group != "authorization.k8s.io" && r.Group != "authentication.k8s.io"
	case "update", "patch", "delete", "deletecollection", "post", "put":
		return true
	default:
		return false
	}
}

// Requests returns the latest requests in the order of their arrival, at most
// Options.KeepRequests. It waits until those that have arrived before the call are
// answered, except watches and requests to members, or until ctx ends, which is an error.
// Later ones, and requests of the hub itself, are left out.
func (h *Hub) Requests(ctx context.Context) ([]Request, error) {
	if h.options.KeepRequests == 0 {
		return nil, errors.New("read requests: the hub keeps none (Options.KeepRequests)")
	}
	return h.audit.all(ctx)
}

// requestLog is an audit backend that keeps the latest requests in memory.
type requestLog struct {
	keep  int
	heard func(Request) // nil when nobody listens

	mu      sync.Mutex
	records []*requestRecord
	open    map[types.UID]*requestRecord // not yet answered
	changed chan struct{}                // closed and replaced when one is answered
}

type requestRecord struct {
	Request
	answered bool
}

var (
	_ audit.Backend             = (*requestLog)(nil)
	_ audit.PolicyRuleEvaluator = (*requestLog)(nil)
)

func newRequestLog(keep int, heard func(Request)) *requestLog {
	return &requestLog{keep: keep, heard: heard, open: map[types.UID]*requestRecord{}, changed: make(chan struct{})}
}

// EvaluatePolicyRule records the bodies of mutating requests, and nothing of
// requests of the hub itself.
func (l *requestLog) EvaluatePolicyRule(a authorizer.Attributes) audit.RequestAuditConfig {
	cfg := audit.RequestAuditConfig{Level: auditapi.LevelRequest}
	switch {
	case a.GetUser() != nil && a.GetUser().GetName() == user.APIServerUser:
		cfg.Level = auditapi.LevelNone
	case a.IsReadOnly():
		cfg.Level = auditapi.LevelMetadata
	}
	return cfg
}

// ProcessEvents takes note of requests as they arrive and as they are answered.
func (l *requestLog) ProcessEvents(events ...*auditapi.Event) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		record := l.open[e.AuditID]
		if record == nil {
			if e.Stage == auditapi.StageResponseComplete && e.Verb == "watch" {
				continue // noted as answered when it began
			}
			record = &requestRecord{Request: describe(e)}
			l.open[e.AuditID] = record
			l.records = append(l.records, record)
			if surplus := len(l.records) - l.keep; surplus > 0 {
				l.records = slices.Delete(l.records, 0, surplus)
			}
		}
		if e.RequestObject != nil && record.Body == nil {
			record.Body = slices.Clone(e.RequestObject.Raw)
			record.DryRun = record.DryRun || asksDryRun(e.Verb, record.Body)
		}
		if e.Stage == auditapi.StageRequestReceived {
			continue
		}
		if e.ResponseStatus != nil {
			record.Code = int(e.ResponseStatus.Code)
		}
		// Of a refused login only the start of the answer is reported.
		if e.Stage == auditapi.StageResponseStarted && e.Verb != "watch" && e.User.Username != "" {
			continue
		}
		record.answered = true
		if l.heard != nil {
			l.heard(record.Request)
		}
		delete(l.open, e.AuditID)
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return true
}

func describe(e *auditapi.Event) Request {
	r := Request{At: e.RequestReceivedTimestamp.Time, User: e.User.Username, Agent: e.UserAgent, Verb: e.Verb, URI: e.RequestURI}
	if e.ImpersonatedUser != nil {
		r.User = e.ImpersonatedUser.Username
	}
	if o := e.ObjectRef; o != nil {
		r.Group, r.Resource, r.Subresource = o.APIGroup, o.Resource, o.Subresource
		r.Namespace, r.Name = o.Namespace, o.Name
	}
	if u, err := url.ParseRequestURI(e.RequestURI); err == nil {
		r.DryRun = slices.Contains(u.Query()["dryRun"], "All")
	}
	return r
}

// asksDryRun looks for dryRun where deletions carry it: in the DeleteOptions
// that are their body.
func asksDryRun(verb string, body []byte) bool {
	if verb != "delete" && verb != "deletecollection" {
		return false
	}
	var options metav1.DeleteOptions
	if err := json.Unmarshal(body, &options); err != nil {
		return false // not DeleteOptions: the API refuses it
	}
	return slices.Contains(options.DryRun, metav1.DryRunAll)
}

func (l *requestLog) all(ctx context.Context) ([]Request, error) {
	l.mu.Lock()
	records := slices.Clone(l.records)
	l.mu.Unlock()
	for {
		l.mu.Lock()
		waiting := l.changed
		out := make([]Request, 0, len(records))
		answered := true
		for _, r := range records {
			out = append(out, r.Request)
			answered = answered && (r.answered || strings.HasPrefix(r.URI, membersPath))
		}
		l.mu.Unlock()
		if answered {
			return out, nil
		}
		select {
		case <-waiting:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for answers: %w", ctx.Err())
		}
	}
}

// Run, Shutdown and String complete audit.Backend; nothing runs.
func (l *requestLog) Run(<-chan struct{}) error { return nil }
func (l *requestLog) Shutdown()                 {}
func (l *requestLog) String() string            { return "requests" }
