package repair

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
	m, known := c.Member(name)
	if m == nil {
		if !known {
			return nil
		}
		return &Trouble{
			Entry: &catalogue.MemberGone, Says: engine.Textf("member %s does not exist", name), Lead: engine.Textf("Member %s does not exist", name),
			State:    engine.Lit("does not exist"),
			Evidence: subject.Field(subject.Object(subject.MemberID(c.View.ID, name)), engine.Lit("metadata.name"), engine.Lit("no such member now")),
		}
	}
	of := subject.Object(m.ID)
	if !m.Deleting.IsZero() {
		return &Trouble{
			Entry: &catalogue.MemberDeleting, Since: m.Deleting, State: engine.Lit("being deleted"),
			Says: engine.Textf("member %s has been in deletion since %s", name, c.Clock(m.Deleting)), Lead: engine.Textf("Member %s is being deleted", name),
			Evidence: engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: m.Deleting},
		}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	switch joined.Truth {
	case engine.TruthNo:
		return &Trouble{
			Entry: &catalogue.MemberLeaving, Since: joined.Since, State: engine.Lit("left the fleet"), Evidence: subject.Condition(of, cluster.MemberJoined, joined),
			Says: engine.Textf("member %s left the fleet at %s (%s)", name, c.Clock(joined.Since), joined.Reason), Lead: engine.Textf("Member %s left the fleet", name),
		}
	case engine.TruthUnknown, engine.TruthAbsent:
		return &Trouble{
			Entry: &catalogue.MemberNotJoined, Since: joined.Since, State: engine.Lit("not joined"), Evidence: subject.Condition(of, cluster.MemberJoined, joined),
			Says: engine.Textf("member %s has not joined the fleet", name), Lead: engine.Textf("Member %s has not joined the fleet", name),
		}
	case engine.TruthYes:
	}
	if m.Silent(c.Now) {
		a := &Trouble{Entry: &catalogue.MemberNoHeartbeat, Since: m.Heartbeat, State: engine.Lit("no heartbeat"), Says: engine.Textf("member %s has sent no heartbeat since %s", name, c.Clock(m.Heartbeat)), Lead: engine.Textf("No heartbeat from member %s", name)}
		a.Evidence = engine.Evidence{Object: of, Field: engine.Lit("status.agentStatus[MemberAgent].lastReceivedHeartbeat"), Value: engine.Textf("the last one at %s", c.Clock(m.Heartbeat)), Since: m.Heartbeat}
		if m.Heartbeat.IsZero() {
			a.Says = engine.Textf("the agent of member %s never sent a heartbeat", name)
			a.Lead = engine.Textf("The agent of member %s never sent a heartbeat", name)
			a.Evidence.Value = engine.Lit("absent")
		}
		return a
	}
	c.LookAgain(m.SilentAt())
	if healthy := engine.ReadCondition(m.Agent, cluster.AgentHealthy); healthy.Truth == engine.TruthNo || healthy.Truth == engine.TruthUnknown {
		e := subject.Condition(of, cluster.AgentHealthy, healthy)
		e.Field = engine.Lit("status.agentStatus[MemberAgent].conditions[Healthy]")
		return &Trouble{
			Entry: &catalogue.MemberUnhealthy, Since: healthy.Since, State: engine.Lit("not healthy"), Evidence: e,
			Says: engine.Textf("the agent of member %s has not been healthy since %s (%s)", name, c.Clock(healthy.Since), healthy.Reason),
			Lead: engine.Textf("The agent of member %s is not healthy", name),
		}
	}
	return nil
}

// aheadShown is how many members a step names.
const aheadShown = 3

// AheadMember is a member in trouble whose cluster is pending.
type AheadMember struct {
	Name    engine.Text
	Trouble *Trouble
}

// AheadSteps says what is possible for each of the members: an agent can be restored, a
// member that left can join again, and a deletion cannot be undone.
func AheadSteps(all []AheadMember) []engine.Text {
	var restore, join, going []engine.Text
	for _, m := range all {
		switch m.Trouble.Entry {
		case &catalogue.MemberDeleting:
			going = append(going, m.Name)
		case &catalogue.MemberGone, &catalogue.MemberLeaving:
			join = append(join, m.Name)
		default:
			restore = append(restore, m.Name)
		}
	}
	var out []engine.Text
	if len(going) > 0 {
		out = append(out, engine.Textf("%s being deleted, which cannot be undone: this run fails when the placement no longer picks %s. Create a new run ({clone}) after the deletion; to keep %s, join %s again under the same name first.",
			engine.Capital(engine.Textf("%s %s %s", subject.Agree(len(going), "member", "members"), engine.Enumerate(going, aheadShown), subject.Agree(len(going), "is", "are"))),
			subject.Agree(len(going), "it", "them"), subject.Agree(len(going), "the cluster", "the clusters"), subject.Agree(len(going), "it", "them")))
	}
	if len(join) > 0 {
		out = append(out, engine.Textf("Join %s to the fleet again under the same name, or create a new run ({clone}) without %s.", engine.Enumerate(join, aheadShown), subject.Agree(len(join), "it", "them")))
	}
	if len(restore) > 0 {
		out = append(out, engine.Textf("Restore the %s of %s before the run reaches %s: the run would get stuck on %s.", subject.Agree(len(restore), "agent", "agents"), engine.Enumerate(restore, aheadShown),
			subject.Agree(len(restore), "it", "them"), subject.Agree(len(restore), "it", "each")))
	}
	return out
}
