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
	Since    time.Time
	Evidence engine.Evidence
}

// TroubleOf tells what is wrong with the member of a cluster, nil when nothing is
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
			Evidence: subject.Field(subject.Object(subject.MemberID(c.View.ID, name)), engine.Lit("metadata.name"), engine.Lit("no such member now")),
		}
	}
	of := subject.Object(m.ID)
	if !m.Deleting.IsZero() {
		return &Trouble{
			Entry: &catalogue.MemberLeaving, Since: m.Deleting,
			Says: engine.Textf("member %s has been leaving the fleet since %s", name, c.Clock(m.Deleting)), Lead: engine.Textf("Member %s is leaving the fleet", name),
			Evidence: engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: m.Deleting},
		}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	switch joined.Truth {
	case engine.TruthNo:
		return &Trouble{
			Entry: &catalogue.MemberLeaving, Since: joined.Since, Evidence: subject.Condition(of, cluster.MemberJoined, joined),
			Says: engine.Textf("member %s left the fleet at %s (%s)", name, c.Clock(joined.Since), joined.Reason), Lead: engine.Textf("Member %s left the fleet", name),
		}
	case engine.TruthUnknown, engine.TruthAbsent:
		return &Trouble{
			Entry: &catalogue.MemberNotJoined, Since: joined.Since, Evidence: subject.Condition(of, cluster.MemberJoined, joined),
			Says: engine.Textf("member %s has not joined the fleet", name), Lead: engine.Textf("Member %s has not joined the fleet", name),
		}
	case engine.TruthYes:
	}
	if m.Silent(c.Now) {
		a := &Trouble{Entry: &catalogue.MemberNoHeartbeat, Since: m.Heartbeat, Says: engine.Textf("member %s has sent no heartbeat since %s", name, c.Clock(m.Heartbeat)), Lead: engine.Textf("No heartbeat from member %s", name)}
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
			Entry: &catalogue.MemberUnhealthy, Since: healthy.Since, Evidence: e,
			Says: engine.Textf("the agent of member %s has not been healthy since %s (%s)", name, c.Clock(healthy.Since), healthy.Reason),
			Lead: engine.Textf("The agent of member %s is not healthy", name),
		}
	}
	return nil
}
