package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// On a row of a pod, L reads the log of that and enter opens its containers; elsewhere L reads that of the
// controller. A log is read again while it is on the screen, unless the login failed.
func TestLogOfThePodUnderTheCursor(t *testing.T) {
	run := id("", "example-run")
	pod := enginepage.PodQuestion{
		On:        enginepage.MemberQuestion{Placement: placement("", "example-placement"), Member: run.Beside(engine.KindMemberCluster, "", "member1", ""), Run: run},
		Namespace: txt("shop"), Pod: txt("web-new"),
	}
	previous := enginepage.PodLogQuestion{Of: pod, Container: txt("web"), Previous: true}
	var asked []enginepage.Question
	failed := false
	m, f := start(t, 120, 40, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = append(asked, q)
		row := enginepage.Row{Key: txt("row"), Cells: []enginepage.Cell{{Text: txt("a")}, {Text: txt("b")}}}
		switch q.(type) {
		case enginepage.MemberQuestion:
			row.Page = pod
		case enginepage.PodQuestion:
			row.Page = previous
		}
		return enginepage.Answer{Question: q, LoginFailed: failed, Sections: []enginepage.Section{{Title: txt("x"), Rows: []enginepage.Row{row}}}}
	}
	for _, step := range []struct {
		key  string
		want enginepage.Question
	}{
		{"m", pod.On},
		{"L", enginepage.PodLogQuestion{Of: pod}},
		{"esc", nil},
		{"enter", pod},
		{"L", previous},
		{"esc", nil},
		{"enter", previous},
		{"esc", nil},
		{"esc", nil},
		{"esc", nil},
		{"L", enginepage.LogsQuestion{Run: run}},
		{"esc", nil},
	} {
		asked = nil
		told(m, press(m, step.key))
		if step.want != nil && (len(asked) == 0 || asked[0] != step.want) {
			t.Errorf("%s asks %+v, want %+v", step.key, asked, step.want)
		}
	}
	failed = true
	told(m, press(m, "m"))
	q := enginepage.PodLogQuestion{Of: pod}
	press(m, "L")
	if m.onText(answeredMsg{n: m.texts, answer: f.reply(q)}) != nil {
		t.Error("reads again after a login that failed")
	}
	failed = false
	if m.onText(answeredMsg{n: m.texts, answer: f.reply(q)}) == nil {
		t.Error("does not read the log again")
	}
}
