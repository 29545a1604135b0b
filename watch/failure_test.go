package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"testing"
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
