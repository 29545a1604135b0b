package identity

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestOf tables the verdict on a context for member eu-1.
func TestOf(t *testing.T) {
	const hub = "https://hub.example:443"
	own := []AppliedWork{{"web-work", "fleet-member-eu-1"}}
	us := []AppliedWork{{"web-work", "fleet-member-us-1"}, {"api-work", "fleet-member-us-1"}, {"old-work", "fleet-member-ap-1"}}
	for _, tt := range []struct {
		name  string
		facts Facts
		want  engine.Verdict
		other string
		why   string
	}{
		{"a Work of this hub is applied", Facts{Works: []string{"web-work"}, Applied: own}, engine.Verified, "", "AppliedWork web-work is of Work fleet-member-eu-1/web-work"},
		{"one of many", Facts{Works: []string{"web-work"}, Applied: append(own, us...)}, engine.Verified, "", "web-work"},
		{"the agent may not be read", Facts{Works: []string{"web-work"}, Applied: own, AgentWhy: engine.Lit("forbidden")}, engine.Verified, "", "web-work"},
		{"the agent knows the hub by another address", Facts{Works: []string{"web-work"}, Applied: own, Agent: &MemberAgent{"eu-1", "https://10.0.0.1:6443"}}, engine.Verified, "", "web-work"},
		{"the same Work name on another member", Facts{Works: []string{"web-work"}, Applied: us}, engine.Mismatch, "us-1", "fleet-member-us-1"},
		{"the Works of the hub are unknown", Facts{WorksWhy: engine.Lit("forbidden"), Applied: own}, engine.NotVerified, "", "Works of the hub: forbidden"},
		{"another member, the Works of the hub are unknown", Facts{WorksWhy: engine.Lit("forbidden"), Applied: us}, engine.Mismatch, "us-1", "AppliedWorks"},
		{"a member of another hub with the same name", Facts{Works: []string{"api-work"}, Applied: own}, engine.NotVerified, "", "Works that this hub does not have"},
		{"not a member namespace", Facts{Applied: []AppliedWork{{"x", "default"}, {"y", "fleet-member-"}}}, engine.NotVerified, "", "no AppliedWork"},
		{"nothing applied yet", Facts{Works: []string{"web-work"}}, engine.NotVerified, "", "no AppliedWork"},
		{"AppliedWorks may not be read", Facts{Works: []string{"web-work"}, AppliedWhy: engine.Lit("forbidden"), AgentWhy: engine.Lit("not found")}, engine.NotVerified, "", "member agent: not found; AppliedWorks: forbidden"},

		{"the agent names member and hub", Facts{Agent: &MemberAgent{"eu-1", "https://HUB.example/"}}, engine.Verified, "", "member eu-1 of this hub"},
		{"AppliedWorks may not be read, the agent may", Facts{AppliedWhy: engine.Lit("forbidden"), Agent: &MemberAgent{"eu-1", hub}}, engine.Verified, "", "member agent"},
		{"the agent outweighs what an old name left behind", Facts{Applied: us, Agent: &MemberAgent{"eu-1", hub}}, engine.Verified, "", "member agent"},
		{"joined again under another name", Facts{Works: []string{"web-work"}, Applied: own, Agent: &MemberAgent{"us-1", hub}}, engine.Mismatch, "us-1", "MEMBER_CLUSTER_NAME us-1"},
		{"the agent names another member", Facts{AppliedWhy: engine.Lit("forbidden"), Agent: &MemberAgent{"us-1", hub}}, engine.Mismatch, "us-1", "MEMBER_CLUSTER_NAME"},
		{"another address alone is no mismatch", Facts{Agent: &MemberAgent{"eu-1", "https://10.0.0.1:6443"}}, engine.NotVerified, "", "hub URL https://10.0.0.1:6443"},
		{"nor with what an old name left behind", Facts{Applied: us, Agent: &MemberAgent{"eu-1", "https://10.0.0.1"}}, engine.NotVerified, "", "another member"},
		{"the agent has no hub", Facts{Agent: &MemberAgent{Member: "eu-1"}}, engine.NotVerified, "", "no HUB_SERVER_URL"},
		{"the agent has no member", Facts{Agent: &MemberAgent{Hub: hub}}, engine.NotVerified, "", "no AppliedWork"},
		{"a URL with a login", Facts{Agent: &MemberAgent{"eu-1", "https://me:secret@other"}}, engine.NotVerified, "", "hub URL https://other"},
		{"the hub", Facts{Server: hub + "/"}, engine.Mismatch, "", "the hub itself"},
		{"the hub, which serves no AppliedWorks", Facts{Server: hub, NoAppliedWorks: true}, engine.Mismatch, "", "the hub itself"},
		{"a hub that is its own member", Facts{Server: hub, Works: []string{"web-work"}, Applied: own}, engine.Verified, "", "web-work"},
		{"a hub that is its own member, of unknown Works", Facts{Server: hub, WorksWhy: engine.Lit("forbidden"), Applied: own}, engine.NotVerified, "", "Works of the hub"},
		{"the hub, where the agent may not be read", Facts{Server: hub, AgentWhy: engine.Lit("forbidden")}, engine.NotVerified, "", "no AppliedWork"},
		{"another hub", Facts{Server: "https://other", NoAppliedWorks: true, ServesHub: true}, engine.Mismatch, "", "no member agent is installed there"},
		{"a cluster without the CRD of AppliedWorks", Facts{Server: "https://other", NoAppliedWorks: true}, engine.NotVerified, "", "it serves no AppliedWorks"},
		{"an agent whose AppliedWorks are not served", Facts{Server: "https://other", NoAppliedWorks: true, Agent: &MemberAgent{"eu-1", hub}}, engine.Verified, "", "member agent"},
		{"hostile", Facts{Agent: &MemberAgent{"\x1b[2J", hub}}, engine.Mismatch, `\x1b[2J`, `\x1b[2J`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.facts.Member, tt.facts.Hub = "eu-1", hub
			got := Of(tt.facts)
			if got.Verdict != tt.want || got.Other.String() != tt.other || !strings.Contains(got.Why.String(), tt.why) {
				t.Errorf("got %s, other %q, why %q", got.Verdict, got.Other, got.Why)
			}
		})
	}
}
