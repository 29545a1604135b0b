package engine

import (
	"strings"
	"testing"
)

// TestIdentityOf tables the verdict on a context for member eu-1.
func TestIdentityOf(t *testing.T) {
	const hub = "https://hub.example:443"
	own := []AppliedWork{{"web-work", "fleet-member-eu-1"}}
	us := []AppliedWork{{"web-work", "fleet-member-us-1"}, {"api-work", "fleet-member-us-1"}, {"old-work", "fleet-member-ap-1"}}
	for _, tt := range []struct {
		name  string
		facts IdentityFacts
		want  Verdict
		other string
		why   string
	}{
		{"a Work of this hub is applied", IdentityFacts{Works: []string{"web-work"}, Applied: own}, Verified, "", "AppliedWork web-work is of Work fleet-member-eu-1/web-work"},
		{"one of many", IdentityFacts{Works: []string{"web-work"}, Applied: append(own, us...)}, Verified, "", "web-work"},
		{"the agent may not be read", IdentityFacts{Works: []string{"web-work"}, Applied: own, AgentWhy: Lit("forbidden")}, Verified, "", "web-work"},
		{"the agent knows the hub by another address", IdentityFacts{Works: []string{"web-work"}, Applied: own, Agent: &MemberAgent{"eu-1", "https://10.0.0.1:6443"}}, Verified, "", "web-work"},
		{"the same Work name on another member", IdentityFacts{Works: []string{"web-work"}, Applied: us}, Mismatch, "us-1", "fleet-member-us-1"},
		{"the Works of the hub are unknown", IdentityFacts{WorksWhy: Lit("forbidden"), Applied: own}, NotVerified, "", "Works of the hub: forbidden"},
		{"another member, the Works of the hub are unknown", IdentityFacts{WorksWhy: Lit("forbidden"), Applied: us}, Mismatch, "us-1", "AppliedWorks"},
		{"a member of another hub with the same name", IdentityFacts{Works: []string{"api-work"}, Applied: own}, NotVerified, "", "Works that this hub does not have"},
		{"not a member namespace", IdentityFacts{Applied: []AppliedWork{{"x", "default"}, {"y", "fleet-member-"}}}, NotVerified, "", "no AppliedWork"},
		{"nothing applied yet", IdentityFacts{Works: []string{"web-work"}}, NotVerified, "", "no AppliedWork"},
		{"AppliedWorks may not be read", IdentityFacts{Works: []string{"web-work"}, AppliedWhy: Lit("forbidden"), AgentWhy: Lit("not found")}, NotVerified, "", "member agent: not found; AppliedWorks: forbidden"},

		{"the agent names member and hub", IdentityFacts{Agent: &MemberAgent{"eu-1", "https://HUB.example/"}}, Verified, "", "member eu-1 of this hub"},
		{"AppliedWorks may not be read, the agent may", IdentityFacts{AppliedWhy: Lit("forbidden"), Agent: &MemberAgent{"eu-1", hub}}, Verified, "", "member agent"},
		{"the agent outweighs what an old name left behind", IdentityFacts{Applied: us, Agent: &MemberAgent{"eu-1", hub}}, Verified, "", "member agent"},
		{"joined again under another name", IdentityFacts{Works: []string{"web-work"}, Applied: own, Agent: &MemberAgent{"us-1", hub}}, Mismatch, "us-1", "MEMBER_CLUSTER_NAME us-1"},
		{"the agent names another member", IdentityFacts{AppliedWhy: Lit("forbidden"), Agent: &MemberAgent{"us-1", hub}}, Mismatch, "us-1", "MEMBER_CLUSTER_NAME"},
		{"another address alone is no mismatch", IdentityFacts{Agent: &MemberAgent{"eu-1", "https://10.0.0.1:6443"}}, NotVerified, "", "hub URL https://10.0.0.1:6443"},
		{"nor with what an old name left behind", IdentityFacts{Applied: us, Agent: &MemberAgent{"eu-1", "https://10.0.0.1"}}, NotVerified, "", "another member"},
		{"the agent has no hub", IdentityFacts{Agent: &MemberAgent{Member: "eu-1"}}, NotVerified, "", "no HUB_SERVER_URL"},
		{"the agent has no member", IdentityFacts{Agent: &MemberAgent{Hub: hub}}, NotVerified, "", "no AppliedWork"},
		{"a URL with a login", IdentityFacts{Agent: &MemberAgent{"eu-1", "https://me:secret@other"}}, NotVerified, "", "hub URL https://other"},
		{"the hub", IdentityFacts{Server: hub + "/"}, Mismatch, "", "the hub itself"},
		{"the hub, which serves no AppliedWorks", IdentityFacts{Server: hub, NoAppliedWorks: true}, Mismatch, "", "the hub itself"},
		{"a hub that is its own member", IdentityFacts{Server: hub, Works: []string{"web-work"}, Applied: own}, Verified, "", "web-work"},
		{"a hub that is its own member, of unknown Works", IdentityFacts{Server: hub, WorksWhy: Lit("forbidden"), Applied: own}, NotVerified, "", "Works of the hub"},
		{"the hub, where the agent may not be read", IdentityFacts{Server: hub, AgentWhy: Lit("forbidden")}, NotVerified, "", "no AppliedWork"},
		{"another hub", IdentityFacts{Server: "https://other", NoAppliedWorks: true}, Mismatch, "", "no member agent is installed"},
		{"an agent whose AppliedWorks are not served", IdentityFacts{Server: "https://other", NoAppliedWorks: true, Agent: &MemberAgent{"eu-1", hub}}, Verified, "", "member agent"},
		{"hostile", IdentityFacts{Agent: &MemberAgent{"\x1b[2J", hub}}, Mismatch, `\x1b[2J`, `\x1b[2J`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.facts.Member, tt.facts.Hub = "eu-1", hub
			got := IdentityOf(tt.facts)
			if got.Verdict != tt.want || got.Other.String() != tt.other || !strings.Contains(got.Why.String(), tt.why) {
				t.Errorf("got %s, other %q, why %q", got.Verdict, got.Other, got.Why)
			}
		})
	}
}
