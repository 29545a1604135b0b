package runlist

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
)

// TestAnEmptyListSaysWhy checks that a list without rows does not call a hub unreachable that
// answers.
func TestAnEmptyListSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		link engine.Link
		want string
	}{
		{engine.Link{State: engine.LinkReconnecting}, "The hub is unreachable; reconnecting."},
		{engine.Link{State: engine.LinkReconnecting, Answers: true}, "The hub answers, but not all requests; retrying."},
		{engine.Link{State: engine.LinkReconnecting, Errors: true}, "The hub returns errors; retrying."},
		{engine.Link{State: engine.LinkStale}, "The list is empty, but the data may be old."},
		{engine.Link{State: engine.LinkRefused}, "You may not list runs on this hub."},
		{engine.Link{State: engine.LinkRefused, LoginFailed: true}, "The login to this hub failed."},
	} {
		s := situation.Snapshot()
		s.Runs, s.Link = nil, tt.link
		s.Link.Err = engine.Lit("the reason")
		got := strings.Fields(ansi.Strip(listed(t, s, 120, 30).View()))
		if text := strings.Join(got, " "); !strings.HasPrefix(text, tt.want+" the reason") {
			t.Errorf("%v: %q, want %q", tt.link, text, tt.want)
		}
	}
}
