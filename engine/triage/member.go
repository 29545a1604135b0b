package triage

import (
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// ailment is what is wrong with a member.
type ailment struct {
	entry    *entry
	says     engine.Text // a clause: "member prod-2 has been silent since 10:02:00"
	lead     engine.Text // the same without the time: "Member prod-2 is silent"
	since    time.Time
	evidence engine.Evidence
}

// ailing tells what is wrong with the member of a cluster, nil when nothing is
// or nothing is known. It asks for another look at the moment at which the
// member would count as silent.
func ailing(c *engine.Case, name string) *ailment {
	m, known := c.Member(name)
	if m == nil {
		if !known {
			return nil
		}
		return &ailment{
			entry: &memberGone, says: engine.Textf("member %s does not exist", name), lead: engine.Textf("Member %s does not exist", name),
			evidence: field(object(memberID(name)), engine.Lit("metadata.name"), engine.Lit("no such member now")),
		}
	}
	of := object(m.ID)
	if !m.Deleting.IsZero() {
		return &ailment{
			entry: &memberLeaving, since: m.Deleting,
			says: engine.Textf("member %s has been leaving the fleet since %s", name, c.Clock(m.Deleting)), lead: engine.Textf("Member %s is leaving the fleet", name),
			evidence: engine.Evidence{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: m.Deleting},
		}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	switch joined.Truth {
	case engine.TruthNo:
		return &ailment{
			entry: &memberLeaving, since: joined.Since, evidence: condition(of, cluster.MemberJoined, joined),
			says: engine.Textf("member %s left the fleet at %s (%s)", name, c.Clock(joined.Since), joined.Reason), lead: engine.Textf("Member %s left the fleet", name),
		}
	case engine.TruthUnknown, engine.TruthAbsent:
		return &ailment{
			entry: &memberNotJoined, since: joined.Since, evidence: condition(of, cluster.MemberJoined, joined),
			says: engine.Textf("member %s has not joined the fleet", name), lead: engine.Textf("Member %s has not joined the fleet", name),
		}
	case engine.TruthYes:
	}
	if m.Silent(c.Now) {
		a := &ailment{entry: &memberSilent, since: m.Heartbeat, says: engine.Textf("member %s has been silent since %s", name, c.Clock(m.Heartbeat)), lead: engine.Textf("Member %s is silent", name)}
		a.evidence = engine.Evidence{Object: of, Field: engine.Lit("status.agentStatus[MemberAgent].lastReceivedHeartbeat"), Value: engine.Textf("the last one at %s", c.Clock(m.Heartbeat)), Since: m.Heartbeat}
		if m.Heartbeat.IsZero() {
			a.says = engine.Textf("the agent of member %s never sent a heartbeat", name)
			a.lead = engine.Textf("The agent of member %s never sent a heartbeat", name)
			a.evidence.Value = engine.Lit("absent")
		}
		return a
	}
	c.LookAgain(m.SilentAt())
	if healthy := engine.ReadCondition(m.Agent, cluster.AgentHealthy); healthy.Truth == engine.TruthNo || healthy.Truth == engine.TruthUnknown {
		e := condition(of, cluster.AgentHealthy, healthy)
		e.Field = engine.Lit("status.agentStatus[MemberAgent].conditions[Healthy]")
		return &ailment{
			entry: &memberUnhealthy, since: healthy.Since, evidence: e,
			says: engine.Textf("the agent of member %s has not been healthy since %s (%s)", name, c.Clock(healthy.Since), healthy.Reason),
			lead: engine.Textf("The agent of member %s is not healthy", name),
		}
	}
	return nil
}
