package triage

import (
	"os/exec"
	"strings"
	"testing"

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
