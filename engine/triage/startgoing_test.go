package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestAPendingClusterWhoseBindingIsBeingDeleted: a run that would start the cluster gets stuck there,
// so that continuing it is not the next step. A binding that the placement no longer picks is to go.
func TestAPendingClusterWhoseBindingIsBeingDeleted(t *testing.T) {
	for base, not := range map[string]string{
		"ready": "Do not start the run yet", "stopped": "Do not resume the run yet", "approval-before": "Do not approve the stage yet", "not-accepted": "Do not approve the stage yet",
	} {
		for _, unscheduled := range []bool{false, true} {
			for scope, ns := range scopes {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.surrounded(t)
				s.rolling(t)
				last := s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1].Clusters
				name := last[len(last)-1].ClusterName
				for i := range s.Bindings {
					if b := &s.Bindings[i]; b.Cluster == name {
						b.Deleting, b.Finalizers = metav1.NewTime(moment(t, "10:00:00")), []string{"example.com/hold"}
						if unscheduled {
							b.State = "Unscheduled"
						}
					}
				}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				says := strings.Contains(d.What.String(), "The binding of "+name+" is being deleted: a run that starts this cluster gets stuck, and fails when the binding is gone.")
				next := strings.HasPrefix(d.Next.String(), not+": wait until the binding of "+name+" is deleted and") && strings.Contains(d.Next.String(), `Finalizer "example.com/hold" blocks the deletion of binding `)
				if says == unscheduled || next == unscheduled {
					t.Errorf("%s, %s, unscheduled %v: %s: %s\nnext %s", base, scope, unscheduled, d.Cause, d.What, d.Next)
				}
				if heals := d.RecoveryText.String() == "Needs a person, after "+name+" has a new binding."; heals == unscheduled {
					t.Errorf("%s, unscheduled %v: %s", base, unscheduled, d.RecoveryText)
				}
				if evidence := engine.Join(fields(d.Evidence), " ").String(); !unscheduled && !strings.Contains(evidence, "metadata.finalizers") {
					t.Errorf("%s: evidence %s", base, evidence)
				}
			}
		}
	}
}

// fields names the fields of evidence.
func fields(all []engine.Evidence) []engine.Text {
	out := make([]engine.Text, len(all))
	for i, e := range all {
		out[i] = e.Field
	}
	return out
}
