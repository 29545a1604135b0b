package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rollout "github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch"
)

// screen answers as the screen does: with a session that stays open. One test at a time
// uses it.
type screen struct {
	config  watch.Config
	session *watch.Session
	last    *rollout.Snapshot // of this session: another one has read other runs
}

func newScreen(t *testing.T, config watch.Config) *screen {
	t.Helper()
	s, err := watch.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &screen{config: config, session: s}
}

// sameAnswers says how the pages of an opened run differ from what "explain" and
// "plan" print: they have the same sections with the same sentences in the same order.
// The commands have two parts of their own: explain reads the plan and lists its
// failed checks, and the forecast of plan assumes no approval.
func (s *screen) sameAnswers(t *testing.T, e *watch.Explained) string {
	t.Helper()
	var err error
	if s.last, err = s.session.OpenRun(t.Context(), s.last, e.Run.ID); err != nil {
		return err.Error()
	}
	printed := page.DiagnosisPage(e.Facts())
	shown := s.session.Ask(t.Context(), page.DiagnosisQuestion{Run: e.Run.ID})
	if d := difference(sentences(&printed, "refused"), sentences(&shown)); d != "" {
		return "explain (-) and the page of d (+):\n" + d
	}
	run, no := runref.Scope{}.Parse(e.Run.ID.Kind().Plural() + "/" + e.Run.ID.Title().String())
	if no.Refused() {
		return no.Why.String()
	}
	p, err := watch.Plan(t.Context(), s.config, watch.PlanRequest{Run: run})
	if err != nil {
		return err.Error()
	}
	printed = page.PlanPage(&p)
	shown = s.session.Ask(t.Context(), page.PlanQuestion{Run: e.Run.ID})
	if d := difference(sentences(&printed, "forecast"), sentences(&shown, "forecast")); d != "" {
		return "plan (-) and the page of i (+):\n" + d
	}
	return ""
}

// difference is the first line that two pages do not have in common; empty for none.
func difference(printed, shown []string) string {
	for i := range max(len(printed), len(shown)) {
		var p, s string
		if i < len(printed) {
			p = printed[i]
		}
		if i < len(shown) {
			s = shown[i]
		}
		if p != s {
			return fmt.Sprintf("line %d:\n-%s\n+%s", i, p, s)
		}
	}
	return ""
}

// sentences are the words of a page, line by line, without the sections named.
// Ages are left out: the two were not read at the same time.
func sentences(a *page.Answer, without ...string) []string {
	out := []string{a.Err.String()}
	for i := range a.Sections {
		s := &a.Sections[i]
		if slices.Contains(without, s.Title.String()) {
			continue
		}
		out = append(out, "# "+s.Heading().String()+" | "+s.Note.String(), rollout.Join(s.Head, " | ").String())
		for j := range s.Rows {
			r := &s.Rows[j]
			var line []string
			for k := range r.Cells {
				line = append(line, r.Cells[k].Text.String())
			}
			out = append(out, strings.Join(append(line, r.Note.String(), r.Copy.String()), " | "))
		}
	}
	return out
}
