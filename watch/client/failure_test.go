package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Only a 404 that names the object proves that it does not exist.
func TestIsMissing(t *testing.T) {
	runs := schema.GroupResource{Group: placement.Group, Resource: "clusterstagedupdateruns"}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"the object", apierrors.NewNotFound(runs, "web-r1"), true},
		{"another object", apierrors.NewNotFound(schema.GroupResource{Resource: "clusters"}, "c-abc"), false},
		{"the resource", apierrors.NewGenericServerResponse(http.StatusNotFound, "get", runs, "web-r1", "404 page not found", 0, true), false},
		{"a code alone", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Message: "a fault"}}, false},
		{"no answer", errors.New("connection reset"), false},
		{"no error", nil, false},
	} {
		if got := IsMissing(tt.err, "web-r1"); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// What a person reads says what happened, not which socket it happened on.
func TestPlainErrors(t *testing.T) {
	at := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://hub/?token=x", Err: &net.OpError{Op: "read", Net: "tcp", Err: err}}
	}
	for _, tt := range []struct {
		name string
		in   error
		want string
	}{
		{"deadline", fmt.Errorf("list: %w", context.DeadlineExceeded), "no answer in time"},
		{"closed here after silence", at(net.ErrClosed), "no answer in time"},
		{"closed there", at(io.EOF), "the connection was closed"},
		{"HTTP/2 connection lost", &url.Error{Op: "Get", URL: "https://hub", Err: errors.New("http2: client connection lost")}, "the connection was lost"},
		{"a hub that says so", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: "http2: of a webhook"}}, "http2: of a webhook"},
		{"HTTP/2 write failed", fmt.Errorf("read list: %w", errors.New("http2: client connection force closed via ClientConn.Close")), "the connection was lost"},
		{"another one", &url.Error{Op: "Get", URL: "https://hub/?token=x", Err: errors.New("boom")}, "boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Message(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFailureOfAnError(t *testing.T) {
	runs := schema.GroupResource{Group: placement.Group, Resource: "clusterstagedupdateruns"}
	tests := []struct {
		name string
		err  error
		want FailureKind
		says string
	}{
		{"none", nil, NoFailure, ""},
		{"deadline", fmt.Errorf("get: %w", context.DeadlineExceeded), Unreachable, "no answer in time"},
		{"unauthorized", apierrors.NewUnauthorized("no"), Unauthenticated, "no"},
		{"login program", errors.New("getting credentials: exec: no such file"), Unauthenticated, "no such file"},
		{"forbidden", apierrors.NewForbidden(runs, "a", errors.New("rule")), Forbidden, "forbidden"},
		{"the object does not exist", apierrors.NewNotFound(runs, "a"), Missing, "not found"},
		{"unknown path", apierrors.NewGenericServerResponse(http.StatusNotFound, "get", runs, "a", "404 page not found", 0, true), NotServed, "could not find"},
		{"404 of a proxy", &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Message: "a fault"}}, NotServed, "a fault"},
		{"gone", apierrors.NewResourceExpired("too old"), Expired, "too old"},
		{"busy", apierrors.NewTooManyRequests("slow down", 3), Busy, "slow down"},
		{"conflict", apierrors.NewConflict(runs, "a", errors.New("changed")), Rejected, "changed"},
		{"internal", apierrors.NewInternalError(errors.New("etcd")), ServerError, "etcd"},
		{"torn", fmt.Errorf("read list: %w", ErrNotJSON), Unreadable, "JSON"},
		{"hostile", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: "\x1b[2Jowned"}}, ServerError, `\x1b[2Jowned`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := (&Client{server: "https://hub"}).Failure(tt.err)
			if f.Kind != tt.want || !strings.Contains(f.Err.String(), tt.says) {
				t.Errorf("sorted as %v %q, want %v %q", f.Kind, f.Err, tt.want, tt.says)
			}
		})
	}
}

// A hint at the network stands only beside errors of the connection.
func TestNetworkHints(t *testing.T) {
	request := func(err error) error { return &url.Error{Op: "Get", URL: "https://hub", Err: err} }
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"reset", request(&net.OpError{Op: "read", Err: errors.New("connection reset by peer")}), true},
		{"deadline", request(context.DeadlineExceeded), true},
		{"closed", request(io.ErrUnexpectedEOF), true},
		{"unknown host", request(&net.DNSError{Err: "no such host", Name: "hub"}), true},
		{"HTTP/2 connection lost", request(errors.New("http2: client connection lost")), true},
		{"not HTTP", request(errors.New("malformed HTTP response")), false},
		{"redirect", request(&RedirectError{To: "http://elsewhere"}), false},
		{"no JSON", fmt.Errorf("read list: %w", ErrNotJSON), false},
		{"too large", request(&SizeError{}), false},
	} {
		if hint := (&Client{server: "https://hub"}).Failure(tt.err).Hint.String(); strings.Contains(hint, "VPN") != tt.want {
			t.Errorf("%s: hint %q", tt.name, hint)
		}
	}
}
