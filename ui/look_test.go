package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func TestThreadFillsItsCells(t *testing.T) {
	th := theme.New(true, false, false)
	for _, v := range sampleRuns() {
		for n := 1; n < 90; n += 4 {
			r := cell.NewRow(th, 200, theme.Plain)
			stages.Line(th, r, v, n)
			if r.At() != n {
				t.Errorf("%s: %d cells, want %d", v.ID.Title(), r.At(), n)
			}
		}
	}
}

func TestAgesNeverGoBackwards(t *testing.T) {
	s := sample()
	s.Skew = -time.Hour
	m, _ := start(t, 100, 30, s)
	if m.scene.HubNow().Before(s.At) {
		t.Error("the present lies before the data")
	}
	if d := m.scene.Since(t0.Add(time.Hour)); d != 0 {
		t.Errorf("age of something to come is %v", d)
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // names of runs that are listed
	}{
		{"", "all"},
		{"example", "example-run nginx? no"},
		{"state:stuck", "example-run"},
		{"STATE:Stuck", "example-run"},
		{"state:not-accepted", "web-app-rollout"},
		{"ns:my-app", "web-app-rollout"},
		{"run:*-r1 !state:failed", "new-r1 old-r1"},
		{"stage:prod", "cert-mgr-r9"},
		{"cluster:member1", "example-run"},
		{"cluster:mem*6", "nginx-r12"},
		{"state:slow", "cache-r5"},
		{"run:my-app/*", "web-app-rollout"},
		{"[", ""},
		{"!", "all"},
	} {
		f := filter.New(tt.text)
		var got []string
		for _, v := range sampleRuns() {
			if f.Run(v, t0) {
				got = append(got, v.ID.Name().String())
			}
		}
		switch want := strings.Fields(tt.want); {
		case tt.want == "all":
			if len(got) != len(sampleRuns()) {
				t.Errorf("%q lists %v, want all", tt.text, got)
			}
		case tt.text == "example":
			if len(got) != 2 {
				t.Errorf("%q lists %v", tt.text, got)
			}
		default:
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q lists %v, want %v", tt.text, got, want)
			}
		}
	}
}
