package act

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// TestNoAnswer says once that no answer came, and not of an error that the API server returned.
func TestNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		kind      client.FailureKind
		err, want string
	}{
		{client.Unreachable, "no answer in time", "no answer in time"},
		{client.Unreachable, "the connection was closed", "no answer (the connection was closed)"},
		{client.ServerError, "Internal Server Error", "the API server returned an error (Internal Server Error)"},
	} {
		if got := noAnswer(client.Failure{Kind: tt.kind, Err: engine.Clean(tt.err)}); got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.err, got, tt.want)
		}
	}
}
