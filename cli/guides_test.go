//go:build linux || darwin

package cli_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestGuideSteps has a line for each step of the troubleshooting guides: the
// keys that take its place, and what the commands of the guide would have told.
func TestGuideSteps(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	w.within(3*patience, "/clusterstagedupdateruns/workload-not-ready-r2", "a stuck run", func(o *object) bool {
		c := o.condition("Progressing")
		return c != nil && c.Reason == "UpdateRunStuck"
	})
	w.within(3*patience, "/clusterstagedupdateruns/preempted-r2", "a preempted run", func(o *object) bool {
		c := o.condition("Succeeded")
		return c != nil && c.Status == "False"
	})
	for _, step := range []struct {
		name, run string
		// keys are pressed one after the other once the screen says before.
		before string
		keys   []string
		says   []string
	}{
		{"which condition, since when", "workload-not-ready-r2", "STUCK for", nil, []string{`WHY +Deployment workload-not-ready/workload-not-ready is not available on weu-canary-1 \(stage canary, since [0-9:]+ UTC\)`, `RECOVERY`, `NEXT`}},
		{"hunt the stuck stage and cluster", "workload-not-ready-r2", "STUCK for", nil, []string{`canary .*!`, `weu-canary-1 +! STUCK`}},
		{"the placement's cluster block and failed placements", "workload-not-ready-r2", "weu-canary-1 +! STUCK", []string{"d"}, []string{`cause (workload-not-ready|pod-image-name-invalid)`, `ManifestNotAvailableYet`, `status.conditions\[Available\]`, `kubectl .*describe deployment`}},
		{"the same in a namespace", "team-payments/workload-not-ready-r2", "weu-canary-1 +! STUCK", []string{"d"}, []string{`ResourceBinding team-payments/`}},
		{"switch the context, get deploy, get pods", "workload-not-ready-r2", "weu-canary-1 +! STUCK", []string{"m"}, []string{`context +weu-canary-1`, `InvalidImageName`, `couldn't parse image name`, `1 updated`}},
		{"a member that does not answer", "member-no-heartbeat-r2", "sea-canary-1 +! STUCK", []string{"m"}, []string{`sea-canary-1`, `forbidden`}},
		{"the member's health, taints, heartbeat", "member-no-heartbeat-r2", "sea-canary-1 +! STUCK", []string{"c"}, []string{`no heartbeat for`, `taints`, `joined`}},
		{"the same while stopped", "stopping-and-stuck-r2", "STUCK for", nil, []string{`(?i)stopping`}},
		{"Succeeded False: read the message", "approval-of-another-run-r2", "FAILED", nil, []string{`WHY`, `somebody-elses-run`}},
		{"placement not found", "placement-missing-r2", "INIT FAILED", nil, []string{`WHY .*placement`, `parent placement not found`}},
		{"strategy not found", "strategy-missing-r2", "INIT FAILED", nil, []string{`nowhere`}},
		{"a cluster in more than one stage", "stages-overlap-r2", "INIT FAILED", []string{"i"}, []string{`in several stages`, `canary and all`}},
		{"a cluster in no stage", "cluster-in-no-stage-r2", "INIT FAILED", []string{"i"}, []string{`in no stage`, `neu-edge-1`, `env=edge`}},
		{"preempted: who owns the bindings now", "preempted-r2", "PREEMPTED", []string{"o"}, []string{`preempted-rollback`, `weu-canary-1`}},
		{"go to the run that took it", "preempted-r2", "WHY .*preempted-rollback", []string{"f"}, []string{`Runs › .*› preempted-rollback`, `DONE`}},
		{"all runs of the placement", "preempted-r2", "PREEMPTED", []string{"p"}, []string{`preempted-r2`, `preempted-rollback`, `(?i)snapshots`}},
		{"no resourceSnapshots with index", "index-missing-r2", "INIT FAILED", []string{"p"}, []string{`(?i)latest`, `(?m)^.* 2 `}},
		{"placement External with no run", "", `STUCK`, []string{"/", "no-run", "\r"}, []string{`NO RUN`, `no-run`}},
		{"approved, and the run still waits", "approval-not-accepted-r2", "NOT ACCEPTED", nil, []string{`observedGeneration 0`, `generation 1`}},
		{"all approval requests", "approval-before-stage-r2", "APPROVAL", []string{"a"}, []string{`not accepted 2`, `open [3-9]`, `team-payments/approval-before-stage-r2`}},
		{"not scheduled", "not-scheduled-r2", "INIT FAILED", nil, []string{`not fully scheduled`}},
		{"the apply strategy is outdated", "apply-strategy-changed-r2", "FAILED", nil, []string{`(?i)apply ?strategy`}},
		{"cluster count changed", "stage-clusters-changed-r2", "FAILED", nil, []string{`has changed, new: 2, existing: 1`}},
		{"two runs on one placement", "competing-runs-r2", "APPROVAL", nil, []string{`competing-runs-back`, `competes for`}},
		{"the controller's log", "workload-not-ready-r2", "STUCK for", []string{"L"}, []string{`controller log of workload-not-ready-r2`, `Failed to reconcile the updateRun.* equivalent kubectl command`}},
		{"what the run changes", "workload-not-ready-r2", "STUCK for", []string{"="}, []string{`1\.\.2`, `1\.0\.0`, `1\.1\.0`}},
		{"events", "workload-not-ready-r2", "STUCK for", []string{"e"}, []string{`write no events for runs`}},
		{"what happened when", "workload-not-ready-r2", "STUCK for", []string{"t"}, []string{`run created`, `UpdateRunStuck`}},
		{"-o yaml", "workload-not-ready-r2", "STUCK for", []string{"Y"}, []string{`kind: ClusterStagedUpdateRun`, `placementName: workload-not-ready`}},
	} {
		t.Run(step.name, func(t *testing.T) {
			args := []string{"--kubeconfig", d.kubeconfig, "--stuck-after", "20s"}
			switch {
			case step.run == "":
			case strings.Contains(step.run, "/"):
				args = append(args, step.run)
			default: // most names are those of a namespaced run, too
				args = append(args, "csur/"+step.run)
			}
			s := start(t, 138, 60, nil, stagewatch(t), args...)
			s.see(`live +\d+s +\d+ runs`)
			s.see(step.before)
			for _, k := range step.keys {
				s.keys(k)
			}
			for _, want := range step.says {
				re := regexp.MustCompile(want)
				s.until(want, 8*time.Second, func(screen string) bool { return re.MatchString(strings.Join(strings.Fields(screen), " ")) })
			}
			leave(t, s)
		})
	}
}
