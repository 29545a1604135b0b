package exit

import (
	"errors"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// An error that quotes a hub or a kubeconfig does not control the terminal (docs/promises.md#i11),
// and is two lines, whatever it contains.
func TestErrorsAreTwoLines(t *testing.T) {
	const hostile = "context \x1b]0;owned\x07\u009b2J\r\nerror: forged \u202e"
	for _, err := range []error{
		errors.New(hostile),
		&Failure{Code: Failed, What: engine.Clean(hostile), Hint: engine.Clean(hostile), Similar: engine.Clean(hostile)},
		errors.Join(&Failure{Code: Failed, What: engine.Clean(hostile), Hint: engine.Lit("h")}, errors.New(hostile)),
	} {
		var b strings.Builder
		if code := Report(&b, err); code != Failed {
			t.Errorf("code %d", code)
		}
		if got := b.String(); strings.ContainsAny(got, "\x1b\x07\u009b\r\u202e") || !strings.HasPrefix(got, "error: ") || strings.Count(got, "\n") > 2 || strings.Count(got, "\nerror") > 0 {
			t.Errorf("%q", got)
		}
	}
}
