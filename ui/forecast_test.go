package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// atRun opens the sample's run of the given name.
func atRun(t *testing.T, w int, name string) (*Model, *fakeSource) {
	t.Helper()
	m, f := start(t, w, 36, sample())
	for i := range m.scene.Snap.Runs {
		if m.scene.Snap.Runs[i].ID.Name() == txt("%s", name) {
			m.open(m.scene.Snap.Runs[i].ID)
			m.arrange()
			return m, f
		}
	}
	t.Fatalf("there is no run %s", name)
	return nil, nil
}

func TestTheOpenedRunSaysWhenItWillBeDone(t *testing.T) {
	in := func(d time.Duration) plan.Estimate {
		return plan.Estimate{Earliest: t0.Add(d - time.Minute), Likely: t0.Add(d), Latest: t0.Add(d + time.Minute)}
	}
	for _, c := range []struct {
		name, run string
		width     int
		told      plan.Moment
		want      string // empty when nothing is said
		asks      bool
	}{
		{"narrow", "cert-mgr-r9", 80, plan.Moment{What: txt("estimated completion"), When: in(10 * time.Minute)}, "estimated completion " + engine.Time(t0.Add(9*time.Minute), t0).String() + " to " + engine.Time(t0.Add(11*time.Minute), t0).String(), true},
		{"wide", "cert-mgr-r9", 138, plan.Moment{What: txt("next approval request"), When: in(time.Hour)}, "next approval request between " + engine.Time(t0.Add(59*time.Minute), t0).String() + " and " + engine.Time(t0.Add(61*time.Minute), t0).String(), true},
		{"not known", "cert-mgr-r9", 80, plan.Moment{What: txt("estimated completion")}, "", true},
		{"should have been", "cert-mgr-r9", 80, plan.Moment{What: txt("estimated completion"), When: in(-10 * time.Minute)}, "", true},
		{"nobody moves it", "pay-api-r41", 80, plan.Moment{}, "", false},
		{"stuck", "example-run", 80, plan.Moment{}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, f := atRun(t, c.width, c.run)
			asked := 0
			f.reply = func(q enginepage.Question) enginepage.Answer {
				asked++
				return enginepage.Answer{Question: q, Forecast: c.told}
			}
			cmd := m.lookAhead()
			if (cmd != nil) != c.asks {
				t.Fatalf("asks: %v", cmd != nil)
			}
			if cmd == nil {
				return
			}
			if m.lookAhead() != nil {
				t.Error("asks twice at once")
			}
			told(m, cmd)
			if m.lookAhead() != nil {
				t.Error("asks again at once")
			}
			if c.want == "" {
				if got := ansi.Strip(m.View().Content); strings.Contains(got, "estimated completion") {
					t.Errorf("says something:\n%s", got)
				}
			} else {
				shows(t, m, c.want)
			}
			m.scene.Now = m.scene.Now.Add(2 * time.Minute)
			if cmd := m.lookAhead(); cmd == nil {
				t.Error("does not ask again")
			} else {
				told(m, cmd)
			}
			if asked != 2 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// An answer about a run that was left says nothing about another.
func TestALateForecastIsDropped(t *testing.T) {
	m, f := atRun(t, 80, "cert-mgr-r9")
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Forecast: plan.Moment{What: txt("estimated completion"), When: plan.Estimate{Likely: t0, Latest: t0.Add(time.Hour)}}}
	}
	late := m.lookAhead()
	m.open(sample().Runs[0].ID)
	m.Update(late())
	if strings.Contains(seen(m), "estimated completion") {
		t.Error("it is said about the other run")
	}
}
