package ui

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// copied is what a command sends to the clipboard.
func copied(t *testing.T, cmd tea.Cmd) string {
	t.Helper()
	if cmd == nil {
		t.Fatal("nothing is copied")
	}
	raw, ok := cmd().(tea.RawMsg)
	if !ok {
		t.Fatalf("the key gives a %T", cmd())
	}
	for _, field := range strings.FieldsFunc(fmt.Sprint(raw.Msg), func(r rune) bool { return r == ';' || r == '\a' }) {
		if text, err := base64.StdEncoding.DecodeString(field); err == nil && field != "c" {
			return string(text)
		}
	}
	t.Fatalf("the key sends %q", raw.Msg)
	return ""
}

func TestCopy(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	first := m.runs.Current().ID.Title().String()
	if got := copied(t, press(m, "y")); got != first {
		t.Errorf("on the list y copies %q, want %q", got, first)
	}
	shows(t, m, "Sent to the clipboard: "+first)

	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, At: t0, Sections: []enginepage.Section{{Title: txt("commands"), Commands: true, Rows: []enginepage.Row{
			{Key: txt("c1"), Cells: []enginepage.Cell{{Text: txt("1")}, {Text: txt("%s", strings.Repeat("kubectl get ", 20))}}, Copy: txt("kubectl get pods")},
			{Key: txt("c2"), Cells: []enginepage.Cell{{Text: txt("one")}, {Text: txt("two")}}, Note: txt("three")},
		}}}}
	}
	told(m, press(m, "d"))
	if q, ok := m.sheet().Question().(enginepage.DiagnosisQuestion); !ok || q.Run.Title().String() != first {
		t.Fatalf("d asks %v", q)
	}
	if got := copied(t, press(m, "y")); got != "kubectl get pods" {
		t.Errorf("on a command y copies %q", got)
	}
	press(m, "j")
	if got := copied(t, press(m, "y")); got != "one  two  three" {
		t.Errorf("on a row y copies %q", got)
	}
}

func TestDiagnoseAClusterOnlyWhenSomethingIsToBeSaid(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	f.reply = samplePage
	press(m, "enter")
	withDetail(m, sample())
	c := m.run.Cluster()
	if c == nil {
		t.Fatal("no cluster under the cursor")
	}
	told(m, press(m, "d"))
	if got := m.sheet().Question().(enginepage.DiagnosisQuestion); c.Diagnosis.What.IsZero() != got.Member.IsZero() {
		t.Errorf("the cluster has diagnosis %q, and the question is about member %v", c.Diagnosis.What, got.Member.Title())
	}
}

func TestTextMovesSideways(t *testing.T) {
	m, f := start(t, 60, 20, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer {
		return enginepage.Answer{Question: q, Lines: []engine.Text{txt("spec:"), txt("  message: %send", strings.Repeat("0123456789", 9))}}
	}
	told(m, press(m, "Y"))
	if strings.Contains(m.View().Content, "end") {
		t.Fatal("the line is not too long")
	}
	for range 9 {
		press(m, "l")
	}
	shows(t, m, "789end")
	for range 9 {
		press(m, "h")
	}
	shows(t, m, "message: 0123")
	if got := copied(t, press(m, "y")); !strings.HasPrefix(got, "spec:\n  message: 0123") || !strings.HasSuffix(got, "end\n") {
		t.Errorf("y copies %q", got)
	}
}
