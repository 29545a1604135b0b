package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// What a member is like tells on the runs that name it, as it changes.
func TestSessionFollowsMembers(t *testing.T) {
	p := somebody(t, shared)
	run := aRun(t, "", "members-r1", "members", "Run", "UpdateRunWaiting")
	stage := run["status"].(map[string]any)["stagesStatus"].([]any)[0].(map[string]any)
	stage["clusters"] = []any{map[string]any{"clusterName": "members-a"}}
	p.make(run)

	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser), Context: "demo", User: "me"})
	says := func(text string) *engine.Snapshot {
		t.Helper()
		return until(t, s, text, func(s *engine.Snapshot) bool {
			v := named(s, engine.KindClusterStagedUpdateRun, "", "members-r1")
			return live(s) && v != nil && strings.Contains(v.Why.What.String(), text)
		})
	}
	says("member members-a does not exist")
	member := p.make(fromYAML(t, `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: members-a}
spec: {identity: {kind: User, name: x}, heartbeatPeriodSeconds: 15}
status:
  conditions: [{type: Joined, status: "True", reason: MemberClusterJoined, message: m, lastTransitionTime: "2026-03-02T09:00:00Z"}]
  agentStatus: [{type: MemberAgent, lastReceivedHeartbeat: "2026-03-02T10:00:00Z"}]
`))
	says("member members-a has sent no heartbeat since 2 Mar 10:00 UTC")
	agent := member["status"].(map[string]any)["agentStatus"].([]any)[0].(map[string]any)
	agent["lastReceivedHeartbeat"] = time.Now().UTC().Format(time.RFC3339)
	p.putStatus(member)
	until(t, s, "no trouble with the member", func(s *engine.Snapshot) bool {
		return !strings.Contains(named(s, engine.KindClusterStagedUpdateRun, "", "members-r1").Why.What.String(), "member members-a")
	})
}
