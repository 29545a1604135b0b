package choices

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/palette"
)

// TestContexts: every hub on the screen is marked, and one that is not live says why.
func TestContexts(t *testing.T) {
	hub := func(name string, l engine.Link) *engine.Snapshot {
		return &engine.Snapshot{Hub: engine.Hub{Name: engine.NewHubName(name, "")}, Link: l}
	}
	live := engine.Link{State: engine.LinkLive}
	member := hub("member", live)
	member.Scope.NoHub = true
	s := &engine.Snapshot{Hubs: []*engine.Snapshot{
		hub("weu", live), hub("eus", engine.Link{State: engine.LinkReconnecting, Err: engine.Lit("no answer in time")}), hub("sea", engine.Link{State: engine.LinkLoading}), member, hub("gone", live),
	}}
	var all []palette.Choice
	for _, name := range []string{"eus", "member", "other", "sea", "weu"} {
		all = append(all, palette.Choice{Value: name, About: engine.Lit("cluster x"), Now: name == "weu"})
	}
	for i, want := range []palette.Choice{
		{Value: "eus", About: engine.Lit("RECONNECTING: no answer in time, cluster x"), Now: true},
		{Value: "member", About: engine.Lit("has no KubeFleet hub API, cluster x"), Now: true},
		{Value: "other", About: engine.Lit("cluster x")},
		{Value: "sea", About: engine.Lit("LOADING, cluster x"), Now: true},
		{Value: "weu", About: engine.Lit("cluster x"), Now: true},
	} {
		if got := Contexts(all, s)[i]; got.Value != want.Value || got.About != want.About || got.Now != want.Now {
			t.Errorf("%s: %+v, want %+v", want.Value, got, want)
		}
	}
	if all[0].Now {
		t.Error("the choices of the program were changed")
	}
}

// TestNamespacesOfTheHub: a screen that is limited to one namespace offers the others of the hub,
// and counts only the runs that it shows.
func TestNamespacesOfTheHub(t *testing.T) {
	run := func(ns string) *engine.RunView {
		return &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, ns, "r", "u")}
	}
	s := &engine.Snapshot{Runs: []*engine.RunView{run("shop"), run("shop")}}
	lines := func(now string, read func() []engine.Text) (out []string) {
		for _, c := range Namespaces(s, now, read) {
			line := c.Value + ": " + c.About.String()
			if c.Now {
				line += " (now)"
			}
			out = append(out, line)
		}
		return out
	}
	read := func() []engine.Text {
		return []engine.Text{engine.Lit("web"), engine.Lit("shop"), engine.Lit("default")}
	}
	if got, want := lines("shop", read), []string{"all: all namespaces", "default: ", "shop: 2 runs (now)", "web: "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lines("", nil), []string{"all: all namespaces (now)", "shop: 2 runs"}; !slices.Equal(got, want) {
		t.Errorf("without a limit: %q, want %q", got, want)
	}
}

// TestThemesNameTheirTerminal: the colours of most themes can be read on a dark or on a light
// terminal only.
func TestThemesNameTheirTerminal(t *testing.T) {
	got := map[string]string{}
	for _, c := range Themes("", nil) {
		got[c.Value] = c.About.String()
	}
	for name, want := range map[string]string{
		"default": "dark or light, to match the terminal", "nord": "for a dark terminal", "solarized-light": "for a light terminal",
		"deuteranopia": "colours for deuteranopia, for a dark terminal", "ansi": "the 16 colours of the terminal", "mono": "",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}
