package triage

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// reports adds a condition to the binding of a cluster, and how many objects differ there.
func (s *situation) reports(cluster, condition string, status metav1.ConditionStatus, reason string, differing int, at time.Time) {
	for i := range s.Bindings {
		if b := &s.Bindings[i]; b.Cluster == cluster {
			b.Differing = differing
			b.Conditions = append(b.Conditions, metav1.Condition{Type: condition, Status: status, Reason: reason, ObservedGeneration: b.Generation, LastTransitionTime: metav1.NewTime(at)})
		}
	}
}

// A cluster that fails after the run has recorded it as done is named before anything lets the
// run continue, in the diagnosis and in the dialog: the controller does not check it again.
func TestADoneClusterThatFailsNow(t *testing.T) {
	for base, tt := range map[string]struct {
		act   engine.Act
		cause string
		next  string
	}{
		"approval-before": {engine.ActApprove, "approval-before-stage", "Find out what fails on dev-1: the controller does not check a done cluster again. Do that before the run continues."},
		"stopped":         {engine.ActRun, "stopped", "Find out what fails on dev-1: the controller does not check a done cluster again. Do that before the run continues."},
		"timed-wait":      {engine.ActStop, "done-cluster-failing", "Find out what fails on dev-1: the controller does not check a done cluster again."},
		"updating":        {engine.ActStop, "done-cluster-failing", "Find out what fails on dev-1: the controller does not check a done cluster again."},
	} {
		for _, failing := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
			for scope, ns := range scopes {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.surrounded(t)
				s.rolling(t)
				s.reports("dev-1", placement.BindingAvailable, failing, "NotAllWorkAreAvailable", 0, moment(t, s.Now))
				w, id := s.world(t, ns)
				at := moment(t, s.Now)
				snap, _ := observe.Observe(nil, w, world.Changed{}, at)
				v := snap.Find(id)
				const says = "dev-1 is done, and the resources are not available there now."
				i, no := act.Propose(snap, tt.act, id, at)
				warns := engine.Join(i.Warn, " ").String()
				if failing == metav1.ConditionTrue {
					if strings.Contains(v.Why.What.String()+warns, "dev-1 is done") || v.Why.Cause.String() == "done-cluster-failing" {
						t.Errorf("%s/%s, available: %s: %s", base, scope, v.Why.Cause, v.Why.What)
					}
					continue
				}
				if v.Why.Cause.String() != tt.cause || !strings.Contains(v.Why.What.String(), says) || v.Why.Next.String() != tt.next || v.Why.Recovery != engine.RecoveryByPerson || !strings.HasPrefix(v.Why.RecoveryText.String(), "Needs a person: decide whether the run should continue") {
					t.Errorf("%s/%s: %s (%s): %s\nnext: %s", base, scope, v.Why.Cause, v.Why.Recovery, v.Why.What, v.Why.Next)
				}
				if no.Refused() || tt.act != engine.ActStop && !strings.Contains(warns, says) {
					t.Errorf("%s/%s: %s, warnings %q", base, scope, no.Why, i.Warn)
				}
				whole(t, v.Why)
			}
		}
	}
}

// A cluster of a run that only reports differences, of which some are reported, is named before
// anything lets the run continue, in the diagnosis and in the dialog.
func TestADoneClusterThatDiffers(t *testing.T) {
	for base, tt := range map[string]struct {
		act  engine.Act
		next string
	}{
		"approval-before": {engine.ActApprove, "Check the differences that dev-1 reports before the run continues."},
		"stopped":         {engine.ActRun, "Check the differences that dev-1 reports before the run continues."},
		"updating":        {engine.ActStop, ""},
	} {
		for _, differing := range []int{0, 2} {
			for scope, ns := range scopes {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.surrounded(t)
				s.rolling(t)
				reports := pass.ApplyDefaults(&placement.PlacementSpec{})
				reports.Type = placement.ApplyReportDiff
				s.Run.Status.AppliedStrategy, s.Nearby.Apply = reports, reports
				s.reports("dev-1", placement.BindingDiffReported, metav1.ConditionTrue, "AllWorkDiffReported", differing, moment(t, s.Now))
				w, id := s.world(t, ns)
				for _, of := range w.Bindings {
					for _, b := range of {
						b.ReportDiff = true
					}
				}
				at := moment(t, s.Now)
				snap, _ := observe.Observe(nil, w, world.Changed{}, at)
				v := snap.Find(id)
				const says = "dev-1 is compared, and differs from snapshot"
				i, no := act.Propose(snap, tt.act, id, at)
				warned := strings.Contains(engine.Join(i.Warn, " ").String(), says)
				if got := strings.Contains(v.Why.What.String(), says); got != (differing > 0) || no.Refused() || warned != (differing > 0 && tt.act != engine.ActStop) || got && tt.next != "" && v.Why.Next.String() != tt.next {
					t.Errorf("%s/%s, %d differ: %s\nnext: %s\n%s, warnings %q", base, scope, differing, v.Why.What, v.Why.Next, no.Why, i.Warn)
				}
				whole(t, v.Why)
			}
		}
	}
}

// What is wrong with a member of a later stage is in the dialogs that let the run continue.
func TestDialogsNameTheTroubleAhead(t *testing.T) {
	for base, tt := range map[string]struct {
		act  engine.Act
		says string
	}{
		"approval-before": {engine.ActApprove, "The approval starts a cluster in trouble: the agent of member prod-4 never sent a heartbeat."},
		"stopped":         {engine.ActRun, "A pending cluster of stage prod is affected: the agent of member prod-4 never sent a heartbeat."},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)[base]
			s.surrounded(t)
			s.rolling(t)
			for i := range s.Members {
				if s.Members[i].Name == "prod-4" {
					s.Members[i].Heartbeat = metav1.Time{}
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			i, no := act.Propose(snap, tt.act, id, moment(t, s.Now))
			if warns := engine.Join(i.Warn, " ").String(); no.Refused() || !strings.Contains(warns, tt.says) {
				t.Errorf("%s/%s: %s, warnings %q", base, scope, no.Why, i.Warn)
			}
		}
	}
}
