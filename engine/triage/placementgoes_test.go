package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestPlacementBeingDeleted checks that the deletion of the placement is the cause of each
// unfinished run, that a run that goes on needs attention for it, and that the cause it had
// stays beside it.
func TestPlacementBeingDeleted(t *testing.T) {
	all := load(t, "../internal/situation/testdata", 50)
	for name, was := range map[string]engine.Cause{
		"updating": catalogue.Updating.Cause, "approval-after": catalogue.ApprovalAfter.Cause, "timed-wait": catalogue.TimedWait.Cause,
		"stopped": catalogue.Stopped.Cause, "ready": catalogue.Ready.Cause, "stopping": catalogue.StoppingWhileUpdating.Cause,
	} {
		for scope, ns := range scopes {
			t.Run(name+"/"+scope, func(t *testing.T) {
				s := all[name]
				at := moment(t, s.Now)
				requested := at.Add(-20 * 1e9)
				s.Placement = &placementData{Clusters: 6, External: true, Deleting: metav1.Time{Time: requested}}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, at)
				v := snap.Find(id)
				d := &v.Why
				last := d.Path[len(d.Path)-1]
				if d.Cause != catalogue.PlacementDeleting.Cause || d.Short.String() != "placement is being deleted" || !d.Since.Equal(requested) ||
					last.Level.String() != "placement" || last.State.String() != "being deleted" || len(d.Path) != 2 {
					t.Errorf("cause %s (%s) since %v, path %v", d.Cause, d.Short, d.Since, d.Path)
				}
				if len(d.Also) == 0 || d.Also[0].Cause != was {
					t.Errorf("also %v, want %s", d.Also, was)
				}
				if !strings.HasPrefix(d.What.String(), "Placement shop is being deleted (requested at ") || !startsWithRecovery(d.Recovery, d.RecoveryText) || d.Recovery != engine.RecoveryByPerson {
					t.Errorf("%s %s", d.What, d.RecoveryText)
				}
				if !v.NeedsAttention() {
					t.Error("does not need attention")
				}
			})
		}
	}
}

// TestStoppedWithNothingLeft checks that a run that is stopped with all its clusters done
// says that a resume only finishes it.
func TestStoppedWithNothingLeft(t *testing.T) {
	for scope, ns := range scopes {
		t.Run(scope, func(t *testing.T) {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			prod := &s.Run.Status.StagesStatus[1]
			for i := range prod.Clusters {
				prod.Clusters[i].Conditions = prod.Clusters[0].Conditions
			}
			prod.Conditions = s.Run.Status.StagesStatus[0].Conditions
			s.Run.Status.DeletionStageStatus.Conditions = []metav1.Condition{{Type: placement.StageProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonStageStopped, ObservedGeneration: 2}}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := &snap.Find(id).Why
			if d.Cause != catalogue.StoppedDone.Cause || d.Short.String() != "stopped, nothing is left to update" || d.What.String() != "The run is stopped with all its clusters done: 6 of 6." ||
				!startsWithRecovery(d.Recovery, d.RecoveryText) || !strings.Contains(d.Next.String(), "and it finishes") {
				t.Errorf("%s (%s): %s %s %s", d.Cause, d.Short, d.What, d.RecoveryText, d.Next)
			}
		})
	}
}
