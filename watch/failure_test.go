package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

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
		{"closed there", at(io.EOF), "the hub closed the connection"},
		{"another one", &url.Error{Op: "Get", URL: "https://hub/?token=x", Err: errors.New("boom")}, "boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plainError(tt.in); got != tt.want {
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
		want failureKind
		says string
	}{
		{"none", nil, failNone, ""},
		{"deadline", fmt.Errorf("get: %w", context.DeadlineExceeded), failUnreachable, "no answer in time"},
		{"unauthorized", apierrors.NewUnauthorized("no"), failUnauthenticated, "no"},
		{"login program", errors.New("getting credentials: exec: no such file"), failUnauthenticated, "no such file"},
		{"forbidden", apierrors.NewForbidden(runs, "a", errors.New("rule")), failForbidden, "forbidden"},
		{"not found", apierrors.NewNotFound(runs, "a"), failNotFound, "not found"},
		{"gone", apierrors.NewResourceExpired("too old"), failExpired, "too old"},
		{"busy", apierrors.NewTooManyRequests("slow down", 3), failBusy, "slow down"},
		{"conflict", apierrors.NewConflict(runs, "a", errors.New("changed")), failRefused, "changed"},
		{"internal", apierrors.NewInternalError(errors.New("etcd")), failServer, "etcd"},
		{"torn", fmt.Errorf("read list: %w", errNoJSON), failBroken, "JSON"},
		{"hostile", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: "\x1b[2Jowned"}}, failServer, `\x1b[2Jowned`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := (&client{server: "https://hub"}).failure(tt.err)
			if f.kind != tt.want || !strings.Contains(f.err.String(), tt.says) {
				t.Errorf("sorted as %v %q, want %v %q", f.kind, f.err, tt.want, tt.says)
			}
		})
	}
}
