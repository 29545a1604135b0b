package faults

import (
	"net/http"
	"strings"
	"time"
)

// Kind is what a Rule does to a request.
type Kind string

// The kinds of faults.
const (
	// Cut breaks the connection of the request, also in the middle of its answer.
	Cut Kind = "cut"
	// Freeze holds the answer back while the rule is set, also in the middle of it.
	Freeze Kind = "freeze"
	// FreezeUp holds the request back while the rule is set.
	FreezeUp Kind = "freeze up"
	// Mute drops what the server sends from now on and keeps the answer open, also after
	// the rule is gone.
	Mute Kind = "mute"
	// Drop drops what the server sends to a watch while the rule is set, and passes on what it
	// sends after that.
	Drop Kind = "drop"
	// Delay passes the request on after Rule.For.
	Delay Kind = "delay"
	// Hang never answers.
	Hang Kind = "hang"
	// Silence sends the head of an answer and nothing after it.
	Silence Kind = "silence"
	// Status answers with Rule.Code and, if it is not zero, Rule.RetryAfter.
	Status Kind = "status"
	// Redirect answers with a redirect to Rule.To.
	Redirect Kind = "redirect"
	// Torn breaks the answer off within its next line.
	Torn Kind = "torn"
	// Duplicate sends every line of a watch twice.
	Duplicate Kind = "duplicate"
	// Old sends the previous line of a watch again after every line.
	Old Kind = "old"
	// Lost passes the request on and breaks the connection instead of its answer.
	Lost Kind = "lost"
	// Empty answers with 200 and no body.
	Empty Kind = "empty"
	// HTML answers with 200 and a page, as a proxy with a login form.
	HTML Kind = "html"
	// Poison answers a watch with an error event of code 500.
	Poison Kind = "poison"
	// Skew moves the Date of the answer by Rule.For.
	Skew Kind = "skew"
)

// Rule is one fault and the requests that it affects.
type Rule struct {
	Kind Kind
	// Of selects the requests; nil selects all.
	Of func(*http.Request) bool
	// For is the duration of Delay and Skew.
	For time.Duration
	// Code is the status of Status, RetryAfter its header in seconds.
	Code, RetryAfter int
	// To is the target of Redirect.
	To string
}

func (r *Rule) matches(req *http.Request) bool { return r.Of == nil || r.Of(req) }

// Watches selects the watches.
func Watches(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

// LongWatches selects the watches that the server does not end within seconds.
func LongWatches(r *http.Request) bool {
	return Watches(r) && len(r.URL.Query().Get("timeoutSeconds")) > 1
}

// Checks selects the watches that are not long.
func Checks(r *http.Request) bool { return Watches(r) && !LongWatches(r) }

// Lists selects the lists, those of one object at most included.
func Lists(r *http.Request) bool {
	return r.Method == http.MethodGet && !Watches(r) && isSet(r.URL.Path)
}

// WholeLists selects the lists of more than one object.
func WholeLists(r *http.Request) bool { return Lists(r) && r.URL.Query().Get("limit") != "1" }

// LongLists selects the lists of more than the two objects with which a stream asks how new the
// hub is.
func LongLists(r *http.Request) bool { return WholeLists(r) && r.URL.Query().Get("limit") != "2" }

// ObjectLists selects the lists of whole objects, whatever their number: those of metadata and
// tables, with which a stream asks how new the hub is, are none.
func ObjectLists(r *http.Request) bool {
	return WholeLists(r) && !strings.Contains(r.Header.Get("Accept"), "as=")
}

// Resource selects the requests to a resource.
func Resource(plural string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/"+plural) || strings.Contains(r.URL.Path, "/"+plural+"/")
	}
}

// Both selects the requests that two selectors select.
func Both(a, b func(*http.Request) bool) func(*http.Request) bool {
	return func(r *http.Request) bool { return a(r) && b(r) }
}

// isSet reports whether a path of the API names a set of objects.
func isSet(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 4 || parts[0] != "apis" {
		return false
	}
	if parts[3] == "namespaces" {
		return len(parts) == 6
	}
	return len(parts) == 4
}
