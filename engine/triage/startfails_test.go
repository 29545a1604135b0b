package triage

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that is not started or is stopped gets stuck on pending clusters that fail with its snapshot
// already: the diagnosis says so, and whoever starts it is warned.
func TestPendingClustersThatFailWithTheSnapshotOfTheRun(t *testing.T) {
	for _, tt := range []struct {
		name, snapshot string
		status         metav1.ConditionStatus
		drift, warns   bool
	}{
		{"it fails there", "shop-3-snapshot", metav1.ConditionFalse, false, true},
		{"it is available there", "shop-3-snapshot", metav1.ConditionTrue, false, false},
		{"another snapshot fails there", "shop-2-snapshot", metav1.ConditionFalse, false, false},
		{"it fails there with another apply strategy, which the run replaces", "shop-3-snapshot", metav1.ConditionFalse, true, false},
	} {
		for _, base := range []string{"ready", "stopped"} {
			for scope, ns := range scopes {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.surrounded(t)
				s.rolling(t)
				at := slices.IndexFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == "prod-4" })
				s.Bindings[at].SnapshotName = tt.snapshot
				if tt.drift {
					s.Bindings[at].Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
				}
				s.Bindings[at].Conditions = []metav1.Condition{{Type: placement.BindingApplied, Status: tt.status, Reason: "NotAllWorkAreApplied", ObservedGeneration: s.Bindings[at].Generation}}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				const says = "The run gets stuck on prod-4 (Applied False) unless the cause is fixed: snapshot 3 is there already, and fails."
				if strings.Contains(d.What.String(), says) != tt.warns || strings.Contains(d.Next.String(), " the run yet: first find out what fails on prod-4 (Applied False)") != tt.warns {
					t.Errorf("%s, %s, %s: %s, next %s", tt.name, base, scope, d.What, d.Next)
				}
				if recovers := strings.HasPrefix(d.RecoveryText.String(), "Needs a person: fix what fails on prod-4 (Applied False), then "); recovers != tt.warns {
					t.Errorf("%s, %s, %s: %s", tt.name, base, scope, d.RecoveryText)
				}
				steps := engine.Join(d.Steps, "\n").String()
				if then := strings.Contains(steps, "Then start the run (stagewatch run): ") || strings.Contains(steps, "Then resume the run (stagewatch run): "); then != tt.warns {
					t.Errorf("%s, %s, %s: %s", tt.name, base, scope, steps)
				}
				snap.WritesOff = engine.Text{}
				intent, no := act.Propose(snap, engine.ActRun, id, moment(t, s.Now))
				if warns := strings.Contains(engine.Join(intent.Warn, "\n").String(), says); no.Refused() || warns != tt.warns {
					t.Errorf("%s, %s, %s: %v %q", tt.name, base, scope, no.Why, intent.Warn)
				}
			}
		}
	}
}

// A run under way without its snapshot needs a new run: its cause says so, and not that there is
// nothing to do.
func TestARunUnderWayWithoutItsSnapshot(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["updating"]
		s.surrounded(t)
		s.rolling(t)
		s.Nearby.Resources = []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{Name: "shop-2-snapshot", Labels: map[string]string{placement.LabelResourceIndex: "2", placement.LabelIsLatestSnapshot: "true"}}}}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if d.Cause.String() != "snapshot-deleted" || d.Recovery != engine.RecoveryByNewRun || !strings.HasPrefix(d.Next.String(), "Create a new run (stagewatch clone)") {
			t.Errorf("%s: %s %s %q", scope, d.Cause, d.What, d.Steps)
		}
		if len(d.Also) != 1 || d.Also[0].Cause.String() != "updating" {
			t.Errorf("%s: also %v", scope, d.Also)
		}
	}
}

// The step to a new run is given once, whatever else fails the run.
func TestTheNewRunIsOfferedOnce(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["updating"]
		s.surrounded(t)
		s.rolling(t)
		for i := range s.Bindings {
			s.Bindings[i].State = "Unscheduled"
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if steps := engine.Join(d.Steps, "\n").String(); strings.Count(steps, "reate a new run (stagewatch clone)") != 1 {
			t.Errorf("%s: %s\n%s", scope, d.What, steps)
		}
	}
}

// A new run deletes the resources from the clusters that the placement does not pick any more: the
// step that offers it says so, unless the run itself deletes them.
func TestTheNewRunDeletesFromClustersThatAreNotPicked(t *testing.T) {
	for _, tt := range []struct {
		name string
		gone func(cluster string) bool
		want string
	}{
		{"all", func(string) bool { return true }, "The new run deletes the resources from 6 clusters that the placement does not pick now, dev-1, dev-2, prod-1 and 3 more: check first that this is wanted."},
		{"one", func(c string) bool { return c == "prod-4" }, "The new run deletes the resources from 1 cluster that the placement does not pick now, prod-4: check first that this is wanted."},
		{"those of its own deletion stage", func(string) bool { return false }, ""},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["updating"]
			s.surrounded(t)
			s.rolling(t)
			s.Nearby.Resources = []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{Name: "shop-2-snapshot", Labels: map[string]string{placement.LabelResourceIndex: "2", placement.LabelIsLatestSnapshot: "true"}}}}
			for i := range s.Bindings {
				if tt.gone(s.Bindings[i].Cluster) {
					s.Bindings[i].State = "Unscheduled"
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			steps := engine.Join(snap.Find(id).Why.Steps, "\n").String()
			if says := strings.Contains(steps, "The new run deletes"); !strings.Contains(steps, "reate a new run (stagewatch clone)") || !strings.Contains(steps, tt.want) || says != (tt.want != "") {
				t.Errorf("%s, %s: %s", scope, tt.name, steps)
			}
		}
	}
}

// A run that is not started offers no new run with a snapshot that another run rolls out already.
func TestTheNewestSnapshotIsRolledOutByAnotherRun(t *testing.T) {
	for index, offers := range map[string]bool{"4": false, "2": true} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["ready"]
			s.surrounded(t)
			s.Nearby.Resources = []placement.ResourceSnapshot{}
			for at, latest := range map[string]string{"3": "false", "4": "true"} {
				s.Nearby.Resources = append(s.Nearby.Resources, placement.ResourceSnapshot{ObjectMeta: metav1.ObjectMeta{
					Name: "shop-" + at + "-snapshot", Annotations: map[string]string{placement.AnnotationResourceHash: "h"},
					Labels: map[string]string{placement.LabelResourceIndex: at, placement.LabelIsLatestSnapshot: latest},
				}})
			}
			other := *s.Run.DeepCopy()
			other.Name, other.UID, other.Spec.State, other.Status.ResourceSnapshotIndexUsed = "r9", "u-r9", placement.StateRun, index
			s.Others = append(s.Others, other)
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			if !strings.Contains(d.What.String(), "Snapshot 4 is newer than that of the run (3).") || strings.Contains(engine.Join(d.Steps, "\n").String(), "To roll out snapshot 4") != offers {
				t.Errorf("%s, the other has %s: %s %q", scope, index, d.What, d.Steps)
			}
		}
	}
}
