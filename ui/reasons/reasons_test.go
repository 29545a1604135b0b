package reasons

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/internal/situation"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Upstream puts "failed to ...: " before "failed to ...: ": what a narrow
// terminal shows of it is the end, which says what is wrong.
func TestTheHubsWordsKeepTheirEnd(t *testing.T) {
	th := theme.New(true, false, false)
	for _, tt := range []struct {
		name, in string
		lines    int
		want     string
	}{
		{"fits", "cannot continue the updateRun: parent placement not found", 2, "cannot continue the updateRun: parent placement not found"},
		{
			"too long", "cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: no resourceSnapshots with index `7` found for placement `/web`", 1,
			"… no resourceSnapshots with index `7` found for placement `/web`",
		},
		{
			"as much as fits", "cannot continue the updateRun: failed to validate the updateRun: policy snapshot `web-0` not fully scheduled yet", 1,
			"… policy snapshot `web-0` not fully scheduled yet",
		},
		{
			"a long end", "cannot continue the updateRun: failed to process the request: the binding of the updating cluster `weu-canary-1` in the stage `canary` is not up-to-date", 1,
			"… the binding of the updating cluster `weu-canary-1` in the stage…",
		},
		{"one piece", strings.Repeat("a long story ", 10), 1, "a long story a long story a long story a long story a long story a…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(quoteHub(th, engine.Clean(tt.in), 70, tt.lines), "\n"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestWhyNamesTheSourceOfPods holds that what a member returned has its context
// and age.
func TestWhyNamesTheSourceOfPods(t *testing.T) {
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: situation.Snapshot()}
	d := &engine.Diagnosis{What: situation.Text("Deployment shop/web: 3 of 3 pods InvalidImageName."), Read: engine.MemberRead{
		Context: situation.Text("aks-2"), Says: situation.Text("3 of 3 pods InvalidImageName"), At: sc.HubNow().Add(-20 * time.Second),
	}}
	what := func() string { return (&Reasons{Scene: sc, Of: d}).what().String() }
	if got := what(); got != "Deployment shop/web: 3 of 3 pods InvalidImageName. (context aks-2, 20s ago)" {
		t.Errorf("got %s", got)
	}
	d.Read.Says = engine.Text{}
	if got := what(); got != d.What.String() {
		t.Errorf("got %s", got)
	}
}
