package reasons

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

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
	if got := what(); got != "Deployment shop/web: 3 of 3 pods InvalidImageName (context aks-2, 20s ago)." {
		t.Errorf("got %s", got)
	}
	d.Read.Says = engine.Text{}
	if got := what(); got != d.What.String() {
		t.Errorf("got %s", got)
	}
}

// TestAKeptProblemHasItsAge checks that WHY says how old a problem is whose evidence is no longer read.
func TestAKeptProblemHasItsAge(t *testing.T) {
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: situation.Snapshot()}
	v := *situation.Snapshot().Runs[0]
	v.Why.What = situation.Text("Run web-r2 preempted this run on cluster weu-1.")
	r := &Reasons{Scene: sc, Run: &v, Of: &v.Why}
	if got := r.what().String(); got != v.Why.What.String() || r.Aged() {
		t.Errorf("up to date: %s", got)
	}
	v.Kept = &engine.Kept{At: sc.HubNow().Add(-3 * time.Minute)}
	if got := r.what().String(); got != "Run web-r2 preempted this run on cluster weu-1 (last read 3m ago)." || !r.Aged() {
		t.Errorf("kept: %s", got)
	}
	v.Why.RecoveryText = situation.Text("Needs a new run. %s", strings.Repeat("This is long. ", 20))
	if got := ansi.Strip(strings.Join(r.Lines(80, 5), "\n")); !strings.Contains(got, "(last read 3m ago)") {
		t.Errorf("without room the age is not shown:\n%s", got)
	}
	r.Of = &engine.Diagnosis{What: situation.Text("Cluster weu-2 is being updated.")}
	if got := r.what().String(); got != r.Of.What.String() || r.Aged() {
		t.Errorf("of a cluster: %s", got)
	}
}

// TestTheNextStepOutlastsTheCause: where all does not fit, the source of what a member
// returned goes first, then the end of WHY. The next step is what a person came for.
func TestTheNextStepOutlastsTheCause(t *testing.T) {
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: situation.Snapshot()}
	r := &Reasons{Scene: sc, Run: situation.Snapshot().Runs[0], Of: &engine.Diagnosis{
		What:         engine.Lit("Deployment search/search is not available on weu-prod-3 (stage prod, since 06:18:22 UTC): 1 of 4 pods InvalidImageName, image registry.weu.contoso.example/search/search-indexer:3.8.0!."),
		RecoveryText: engine.Lit("Needs a new run: no node can pull an image with an invalid name, and this run stays on snapshot 12."),
		Next:         engine.Lit("Fix image name registry.weu.contoso.example/search/search-indexer:3.8.0! of Deployment search/search on the hub, in the manifest or in the override that sets it, then create a new run (C)."),
		Read:         engine.MemberRead{Context: engine.Lit("weu-prod-3"), Says: engine.Lit("1 of 4 pods InvalidImageName"), At: sc.HubNow()},
	}}
	for n, want := range map[int]struct{ source, why, next bool }{10: {true, true, true}, 9: {false, true, true}, 8: {false, false, true}} {
		got := strings.Join(strings.Fields(ansi.Strip(strings.Join(r.Lines(80, n), " "))), " ")
		for _, c := range []struct {
			part string
			want bool
		}{{"(context weu-prod-3,", want.source}, {"search-indexer:3.8.0!", true}, {"search-indexer:3.8.0!.", !want.source && want.why}, {"then create a new run (C).", want.next}} {
			if strings.Contains(got+" ", c.part) != c.want {
				t.Errorf("%d lines: %q is shown: %t, want %t\n%s", n, c.part, !c.want, c.want, got)
			}
		}
	}
}

// TestACutSentenceNamesTheKeyOfTheRest checks that of several sentences that are cut the last one
// ends with a word and the key that shows the rest, in the width of the lines.
func TestACutSentenceNamesTheKeyOfTheRest(t *testing.T) {
	sc := &scene.Scene{Theme: theme.New(true, false, false), Now: situation.Now, Snap: situation.Snapshot()}
	long := engine.Clean(strings.Repeat("this run stays on snapshot 12, ", 12) + "as it is.")
	r := &Reasons{Scene: sc, Run: situation.Snapshot().Runs[0], Of: &engine.Diagnosis{What: long, RecoveryText: long, Next: engine.Lit("Create a new run.")}}
	for w := 60; w <= 100; w++ {
		lines := r.Lines(w, 6)
		all := ansi.Strip(strings.Join(lines, "\n"))
		if strings.Count(all, "shows the rest") != 1 || strings.Count(all, "…") != 2 {
			t.Errorf("%d cells:\n%s", w, all)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > w {
				t.Errorf("%d cells: %q", w, l)
			}
		}
	}
}
