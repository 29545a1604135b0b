package ui

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
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
			if got := strings.Join(quoteHub(th, txt("%s", tt.in), 70, tt.lines), "\n"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// What WHY has said already is not said again as the hub's words.
func TestTheHubsWordsAreNotSaidTwice(t *testing.T) {
	for what, want := range map[string]bool{
		"The overrides could not be applied (doc is missing path: annotations).": false,
		"The overrides could not be applied.":                                    true,
	} {
		s := sample()
		find(s, "example-run").Why = engine.Diagnosis{What: txt("%s", what), Heal: txt("No."), Next: txt("Fix it."), Quote: txt("doc is missing path: annotations")}
		m, _ := start(t, 120, 40, s)
		if got := seen(m); strings.Contains(got, "HUB") != want {
			t.Errorf("%s: HUB is there: %v, want %v\n%s", what, !want, want, got)
		}
	}
}

// A short list leaves its room to the reasons; a long one says how much of it
// is on screen.
func TestRoomBelowTheList(t *testing.T) {
	s := sample()
	long := strings.Repeat("a sentence of some length ", 8) + "END"
	for _, v := range s.Runs {
		v.Why = engine.Diagnosis{What: txt("%s", long), Heal: txt("%s", long), Next: txt("%s", long)}
	}
	m, _ := start(t, 80, 24, s)
	if got := seen(m); strings.Count(got, "END") == 3 || !strings.Contains(got, " 10/19") {
		t.Errorf("19 runs on 24 rows:\n%s", got)
	}
	for _, k := range []string{"/", "s", "t", "a", "t", "e", ":", "s", "t", "*", "enter"} {
		press(m, k)
	}
	if got := seen(m); strings.Count(got, "END") != 3 || strings.Contains(got, "/19 ") {
		t.Errorf("three of them:\n%s", got)
	}
}

// Where the reason of a cluster is longer than its column, the reason proper
// stands first; what the pods say comes before both.
func TestReasonOfAClusterInItsColumn(t *testing.T) {
	s := sample()
	m, _ := start(t, 160, 50, s)
	press(m, "enter")
	withDetail(m, s)
	c := &m.run.detail.Clusters[0][0]
	c.Why = txt("Deployment test-namespace/nginx-deployment is not Available (ManifestNotAvailableYet)")
	if got := m.clusterWhy(c, 200).String(); got != c.Why.String() {
		t.Errorf("with room: %q", got)
	}
	if got := m.clusterWhy(c, 40).String(); got != "ManifestNotAvailableYet: Deployment test-namespace/nginx-deployment" {
		t.Errorf("without: %q", got)
	}
	c.Diagnosis.Read.Says = txt("3 of 3 pods InvalidImageName")
	if got := m.clusterWhy(c, 40).String(); got != "3 of 3 pods InvalidImageName" {
		t.Errorf("with its pods: %q", got)
	}
}

// Without a row the line above the reasons is about nothing, and whole.
func TestLineAboutNothing(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	for _, k := range []string{"/", "z", "q", "x", "enter"} {
		press(m, k)
	}
	if got := seen(m); !strings.Contains(got, strings.Repeat("─", 80)) {
		t.Errorf("a gap in the line:\n%s", got)
	}
}
