//go:build linux || darwin

package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestTheListDiagnosesAsExplain compares the runs of a list in JSON with those of
// explain, on a hub where two were repaired from outside: one diagnosis feeds both.
func TestTheListDiagnosesAsExplain(t *testing.T) {
	t.Parallel()
	d := incidents(t)
	w := newWitness(t, d.kubeconfig)
	for _, run := range []string{"crash-loop-r2", "owned-by-others-r2", "immutable-field-r2", "stopping-and-stuck-r2"} {
		w.within(3*patience, "/clusterstagedupdateruns/"+run, "a stuck run", func(o *object) bool {
			c := o.condition("Progressing")
			return c != nil && (c.Reason == "UpdateRunStuck" || c.Reason == "UpdateRunStopping")
		})
	}
	// It may be stopping before the controller calls it stuck: its cluster's age counts.
	w.within(3*patience, "/clusterstagedupdateruns/stopping-and-stuck-r2", "a stopping run, stuck", func(o *object) bool {
		return o.Spec.State == "Stop" && o.updatesFor() > 20*time.Second
	})
	for _, run := range []string{"several-policy-snapshots-r2", "cluster-in-no-stage-r2"} {
		w.within(3*patience, "/clusterstagedupdateruns/"+run, "a run that failed initialization", func(o *object) bool {
			c := o.condition("Initialized")
			return c != nil && c.Status == "False"
		})
	}
	type diagnosed struct {
		Kind, Name, State, Cause, Recovery, RecoveryText, Why string
		NextSteps, Commands, OtherCauses                      []string
		Missing                                               []struct{ Resource, Reason string }
	}
	read := func(into any, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, stagewatch(t), append(args, "-o", "json", "--stuck-after", "20s")...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatal(err)
		}
	}
	var list struct{ Runs []diagnosed }
	read(&list)
	for name, cause := range map[string]string{
		"crash-loop-r2": "pod-crash-loop", "owned-by-others-r2": "owned-by-others", "immutable-field-r2": "immutable-field",
		"stopping-and-stuck-r2": "pod-image-name-invalid", "several-policy-snapshots-r2": "several-policy-snapshots",
		"cluster-in-no-stage-r2": "cluster-in-no-stage", "stages-overlap-r2": "stages-overlap",
	} {
		var listed diagnosed
		for _, r := range list.Runs {
			if r.Name == name && r.Kind == "ClusterStagedUpdateRun" {
				listed = r
			}
		}
		var explained struct{ Run diagnosed }
		read(&explained, "explain", "csur/"+name)
		if listed.Cause != cause || len(listed.Missing) > 0 {
			t.Errorf("%s is listed with cause %s, want %s; missing %v", name, listed.Cause, cause, listed.Missing)
		}
		if len(listed.NextSteps) == 0 {
			t.Errorf("%s is listed without next steps", name)
		}
		explained.Run.Missing = nil
		for _, r := range []*diagnosed{&listed, &explained.Run} { // a container may restart between the two reads
			r.Why = regexp.MustCompile(`\d+ restarts?`).ReplaceAllString(r.Why, "restarts")
		}
		if !reflect.DeepEqual(listed, explained.Run) {
			t.Errorf("%s:\nlist    %+v\nexplain %+v", name, listed, explained.Run)
		}
	}
	// A placement that no run rolls out has no run to name: explain takes what the list prints.
	at := slices.IndexFunc(list.Runs, func(r diagnosed) bool { return r.Name == "no-run" && r.State == "no-run" })
	for _, arg := range []string{"(no-run)", "no-run"} {
		var explained struct{ Run diagnosed }
		read(&explained, "explain", arg)
		explained.Run.Missing = nil
		if at < 0 || !reflect.DeepEqual(list.Runs[at], explained.Run) || explained.Run.Cause != "no-run" {
			t.Errorf("explain %s: %+v\nlist %+v", arg, explained.Run, list.Runs[max(at, 0)])
		}
	}
}
