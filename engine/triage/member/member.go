// Package member says what is wrong with the member of a cluster, and what is possible before
// a run reaches it.
package member

import (
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Trouble is what is wrong with a member.
type Trouble struct {
	Entry    *catalogue.Entry
	Says     engine.Text // a clause: "member prod-2 has sent no heartbeat since 10:02:00"
	Lead     engine.Text // the same without the time: "No heartbeat from member prod-2"
	State    engine.Text // the same without the member: "no heartbeat"
	Since    time.Time
	Evidence engine.Evidence
}

// TroubleOf says what is wrong with the member of a cluster, nil when nothing is
// or nothing is known. It asks for another look at the moment at which the
// member would count as silent.
func TroubleOf(c *world.Case, name string) *Trouble {
	s := read(c, name)
	if s.entry == nil {
		return nil
	}
	return s.trouble(c, name)
}

// EntryOf returns the Entry of TroubleOf, without the words for it.
func EntryOf(c *world.Case, name string) *catalogue.Entry { return read(c, name).entry }

// state is what is wrong with a member.
type state struct {
	entry *catalogue.Entry // nil for nothing
	of    *world.Member
	fact  engine.Fact // the condition that says so, if one does
}

func read(c *world.Case, name string) state {
	m, known := c.Member(name)
	switch {
	case m == nil && known:
		return state{entry: &catalogue.MemberGone}
	case m == nil:
		return state{}
	case !m.Deleting.IsZero():
		return state{entry: &catalogue.MemberDeleting, of: m}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	switch joined.Truth {
	case engine.TruthNo:
		return state{&catalogue.MemberLeaving, m, joined}
	case engine.TruthUnknown, engine.TruthAbsent:
		return state{&catalogue.MemberNotJoined, m, joined}
	case engine.TruthYes:
	}
	if m.Silent(c.Now) {
		return state{entry: &catalogue.MemberNoHeartbeat, of: m}
	}
	c.LookAgain(m.SilentAt())
	if healthy := engine.ReadCondition(m.Agent, cluster.AgentHealthy); healthy.Truth == engine.TruthNo || healthy.Truth == engine.TruthUnknown {
		return state{&catalogue.MemberUnhealthy, m, healthy}
	}
	return state{}
}

// trouble puts a state into words.
func (s state) trouble(c *world.Case, name string) *Trouble {
	t := &Trouble{Entry: s.entry, Since: s.fact.Since}
	if s.of == nil {
		t.Says, t.Lead, t.State = engine.Textf("member %s does not exist", name), engine.Textf("Member %s does not exist", name), engine.Lit("does not exist")
		t.Evidence = subject.Field(subject.Object(subject.MemberID(c.View.ID, name)), engine.Lit("metadata.name"), engine.Lit("no such member now"))
		return t
	}
	m, of := s.of, subject.Object(s.of.ID)
	switch s.entry {
	case &catalogue.MemberDeleting:
		t.Since, t.State = m.Deleting, engine.Lit("being deleted")
		t.Says, t.Lead = engine.Textf("member %s has been in deletion since %s", name, c.Clock(m.Deleting)), engine.Textf("Member %s is being deleted", name)
		t.Evidence = engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: m.Deleting}
	case &catalogue.MemberLeaving:
		t.State, t.Evidence = engine.Lit("left the fleet"), subject.Condition(of, cluster.MemberJoined, s.fact)
		t.Says, t.Lead = engine.Textf("member %s left the fleet at %s (%s)", name, c.Clock(t.Since), s.fact.Reason), engine.Textf("Member %s left the fleet", name)
	case &catalogue.MemberNotJoined:
		t.State, t.Evidence = engine.Lit("not joined"), subject.Condition(of, cluster.MemberJoined, s.fact)
		t.Says, t.Lead = engine.Textf("member %s has not joined the fleet", name), engine.Textf("Member %s has not joined the fleet", name)
	case &catalogue.MemberNoHeartbeat:
		t.Since, t.State = m.Heartbeat, engine.Lit("no heartbeat")
		t.Says, t.Lead = engine.Textf("member %s has sent no heartbeat since %s", name, c.Clock(m.Heartbeat)), engine.Textf("No heartbeat from member %s", name)
		t.Evidence = engine.Evidence{Object: of, Field: engine.Lit("status.agentStatus[MemberAgent].lastReceivedHeartbeat"), Value: engine.Textf("the last one at %s", c.Clock(m.Heartbeat)), Since: m.Heartbeat}
		if m.Heartbeat.IsZero() {
			t.Says, t.Lead = engine.Textf("the agent of member %s never sent a heartbeat", name), engine.Textf("The agent of member %s never sent a heartbeat", name)
			t.Evidence.Value = engine.Lit("absent")
		}
	case &catalogue.MemberUnhealthy:
		t.State, t.Evidence = engine.Lit("not healthy"), subject.Condition(of, cluster.AgentHealthy, s.fact)
		t.Evidence.Field = engine.Lit("status.agentStatus[MemberAgent].conditions[Healthy]")
		t.Says = engine.Textf("the agent of member %s has not been healthy since %s (%s)", name, c.Clock(t.Since), s.fact.Reason)
		t.Lead = engine.Textf("The agent of member %s is not healthy", name)
	}
	return t
}

// Leaves reports whether an entry says that a member left the fleet or leaves it.
func Leaves(e *catalogue.Entry) bool {
	return e == &catalogue.MemberGone || e == &catalogue.MemberDeleting || e == &catalogue.MemberLeaving
}

// aheadShown is how many members a step names.
const aheadShown = 3

// Ahead is a member in trouble whose cluster is pending.
type Ahead struct {
	Name  string // raw
	Entry *catalogue.Entry
}

// Gone reports whether the member does not exist.
func (a Ahead) Gone() bool { return a.Entry == &catalogue.MemberGone }

// Steps says what is possible for each of the members: an agent can be restored, a
// member that left can join again, and a deletion cannot be undone. For a run that fails, other steps
// create the new run, which leaves out the members that do not exist.
func Steps(all []Ahead, fails bool) []engine.Text {
	var restore, join, going, gone []string
	for _, m := range all {
		switch m.Entry {
		case &catalogue.MemberDeleting:
			going = append(going, m.Name)
		case &catalogue.MemberGone:
			gone = append(gone, m.Name)
		case &catalogue.MemberLeaving:
			join = append(join, m.Name)
		default:
			restore = append(restore, m.Name)
		}
	}
	var out []engine.Text
	if len(going) > 0 {
		out = append(out, engine.Textf("%s being deleted, which cannot be undone: this run fails when the placement no longer picks %s. Create a new run ({clone}) after the deletion; to keep %s, join %s again under the same name first.",
			engine.Capital(engine.Textf("%s %s %s", subject.Agree(len(going), "member", "members"), engine.Enumerate(engine.CleanAll(going), aheadShown), subject.Agree(len(going), "is", "are"))),
			subject.Agree(len(going), "it", "them"), subject.Agree(len(going), "the cluster", "the clusters"), subject.Agree(len(going), "it", "them")))
	}
	if len(gone) > 0 && !fails {
		out = append(out, engine.Textf("Create a new run ({clone}): it leaves out %s, which %s no longer in the fleet. Or join %s again under the same name before the controller's next check, which otherwise fails this run.",
			engine.Enumerate(engine.CleanAll(gone), aheadShown), subject.Agree(len(gone), "is", "are"), subject.Agree(len(gone), "it", "them")))
	}
	if len(join) > 0 {
		out = append(out, engine.Textf("Join %s to the fleet again, or create a new run ({clone}) after %s deleted.", engine.Enumerate(engine.CleanAll(join), aheadShown), subject.Agree(len(join), "its MemberCluster is", "their MemberClusters are")))
	}
	if len(restore) > 0 {
		out = append(out, engine.Textf("Restore the %s of %s before the run reaches %s: the run would get stuck on %s.", subject.Agree(len(restore), "agent", "agents"), engine.Enumerate(engine.CleanAll(restore), aheadShown),
			subject.Agree(len(restore), "it", "them"), subject.Agree(len(restore), "it", "each")))
	}
	return out
}
