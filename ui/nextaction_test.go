package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// seen is the screen without its colours.
func seen(m *Model) string { return ansi.Strip(m.View().Content) }

// NEXT names the keys, and those that are not possible now are left out.
func TestNextNamesItsKeys(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	if got := seen(m); !strings.Contains(got, "m member  = changes  C clone") {
		t.Errorf("no keys behind NEXT:\n%s", got)
	}
	off := sample()
	off.WritesOff = txt("--read-only")
	m, _ = start(t, 120, 40, off)
	if got := seen(m); !strings.Contains(got, "m member  = changes") || strings.Contains(got, "changes  C clone") {
		t.Errorf("C is offered where nothing may be written:\n%s", got)
	}
}

// On the list m and c are about the cluster that holds the run up.
func TestMemberOfTheListIsTheOneInTheWay(t *testing.T) {
	run := id("", "example-run")
	member := run.Beside(engine.KindMemberCluster, "", "member1", "")
	place := placement("", "example-placement")
	for key, want := range map[string]enginepage.Question{
		"m": enginepage.MemberQuestion{Placement: place, Member: member, Run: run},
		"c": enginepage.ClusterQuestion{Placement: place, Member: member, Run: run},
	} {
		m, f := start(t, 120, 40, sample())
		f.reply = samplePage
		told(m, press(m, key))
		if q := m.sheet().Question(); q != want {
			t.Errorf("%s asks %+v, want %+v", key, q, want)
		}
	}
}

// The reasons follow the cursor to another cluster in trouble, and its keys do.
func TestReasonsFollowTheCursor(t *testing.T) {
	s := sample()
	m, _ := start(t, 120, 40, s)
	press(m, "enter")
	withDetail(m, s)
	other := &m.scene.Snap.Detail.Clusters[0][1]
	other.Why = txt("out of disk")
	other.Diagnosis = engine.Diagnosis{What: txt("member2: out of disk."), RecoveryText: txt("Yes."), Next: txt("Make room."), NextActions: []engine.NextAction{engine.NextMember}, Member: other.Member}
	if got := seen(m); strings.Contains(got, "member2: out of disk.") || !strings.Contains(got, "member1 in stage staging") {
		t.Errorf("before the cursor is on it:\n%s", got)
	}
	press(m, "j")
	if got := seen(m); !strings.Contains(got, "member2: out of disk.") || !strings.Contains(got, "Make room.  m member") {
		t.Errorf("with the cursor on it:\n%s", got)
	}
	press(m, "j")
	if got := seen(m); !strings.Contains(got, "member1 in stage staging") || strings.Contains(got, "m member  = changes") {
		t.Errorf("on a cluster without trouble, whose member m would open:\n%s", got)
	}
}
