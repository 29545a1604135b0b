package triage

import (
	"os/exec"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Names come from a hub: in a command line that a person copies they are words
// for kubectl and nothing else.
func TestCommandsAreQuoted(t *testing.T) {
	const evil = `x'; echo PWNED; $(echo PWNED) "`
	all := allSituations(t)
	checked := map[string]bool{}
	for _, name := range sorted(all) {
		s := all[name]
		for _, ns := range []string{"", evil} {
			s.Run.Spec.StagedRolloutStrategyName = evil
			s.Run.Name = evil
			for i := range s.Bindings {
				for j := range s.Bindings[i].Failed {
					f := &s.Bindings[i].Failed[j]
					f.Kind, f.Name, f.Namespace, f.Group = evil, evil, evil, evil
				}
			}
			w, id := s.world(t, ns)
			w.Hub.Context = engine.Clean(evil)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			for _, c := range snap.Find(id).Why.Commands {
				checked[c.String()] = true
			}
		}
	}
	if len(checked) < 50 {
		t.Errorf("only %d commands", len(checked))
	}
	var script strings.Builder
	script.WriteString("kubectl() { for w; do printf '%s|' \"$w\"; done; echo; }\n")
	for c := range checked {
		script.WriteString(c + "\n")
	}
	out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", script.String()).CombinedOutput()
	if err != nil && !strings.Contains(err.Error(), "exit status 1") { // grep found nothing in the last one
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		if line == "PWNED" || !strings.HasPrefix(line, "--context|"+evil+"|") && !strings.HasPrefix(line, "--context|<context of ") {
			t.Errorf("not one kubectl command: %q", line)
		}
	}
}

// The commands for a rejected object work: one that could not be created is not described,
// and what denies it is shown.
func TestCommandsForARejectedObject(t *testing.T) {
	const member = "kubectl --context '<context of prod-2>' "
	for _, tt := range []struct{ message, first, not string }{
		{`failed to patch the manifest: admission webhook "x" denied the request`, member + "get validatingwebhookconfigurations,mutatingwebhookconfigurations", ""},
		{`failed to patch the manifest: ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no`, member + "get validatingadmissionpolicies,validatingadmissionpolicybindings", ""},
		{`failed to patch the manifest: pods "x" is forbidden: violates PodSecurity "restricted:latest"`, member + "get namespaces web --show-labels", ""},
		{`failed to create the manifest: failed calling webhook "x": connection refused`, member + "get validatingwebhookconfigurations,mutatingwebhookconfigurations", "describe"},
		{`failed to create the manifest: namespaces "web" not found`, member + "get namespaces", "describe"},
		{`failed to create the manifest: deployments.apps is forbidden: User "system:serviceaccount:fleet-system:work-agent" cannot create resource "deployments" in API group "apps" in the namespace "web"`, member + "-n web auth can-i create deployments.apps --as=system:serviceaccount:fleet-system:work-agent", "describe"},
		{`failed to create the manifest: nodes is forbidden: User "it's me" cannot create resource "nodes"`, member + `auth can-i create nodes '--as=it'\''s me'`, "describe"},
		{`failed to patch the manifest: deployments.apps is forbidden: User "a" cannot patch`, member + "-n web describe deployment.apps front", ""},
	} {
		rows := readRows(t, "facts-5.3.yaml")
		for i := range rows {
			if rows[i].Row != "5.3 ManifestNotAvailableYet" {
				continue
			}
			s := rows[i].situation(t, "flight", "")
			s.Now = "10:04:00"
			for j := range s.Bindings {
				b := &s.Bindings[j]
				for n := range b.Failed {
					b.Failed[n].Condition.Type, b.Failed[n].Condition.Reason, b.Failed[n].Condition.Message = "Applied", placement.ReasonManifestApplyFailed, tt.message
				}
			}
			w, id := s.world(t, "")
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			all := snap.Find(id).Why.Commands
			if len(all) == 0 || all[0].String() != tt.first || tt.not != "" && strings.Contains(engine.Join(all, "\n").String(), tt.not) {
				t.Errorf("%s:\n%q", tt.message, all)
			}
		}
	}
}
