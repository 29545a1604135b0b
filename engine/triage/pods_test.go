package triage

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// notReady is a run in flight on prod-2, whose Deployment web/front is not
// available there.
func notReady(t *testing.T) (*world.World, engine.ID, time.Time) {
	t.Helper()
	rows := readRows(t, "facts-5.3.yaml")
	for i := range rows {
		if rows[i].Row == "5.3 ManifestNotAvailableYet" {
			s := rows[i].situation(t, "flight", "")
			s.Now = "10:04:00"
			w, id := s.world(t, "")
			return w, id, moment(t, s.Now)
		}
	}
	t.Fatal("no row")
	return nil, engine.ID{}, time.Time{}
}

func verified() engine.Identity {
	return engine.Identity{Verdict: engine.Verified, Why: engine.Lit("proof")}
}

func deployment(pods ...world.MemberPod) world.MemberWorkload {
	return world.MemberWorkload{Kind: "Deployment", Namespace: "web", Name: "front", Desired: 3, Replicas: len(pods), Pods: pods}
}

// diagnose observes the run with a report that is as old as told.
func diagnose(t *testing.T, id engine.Identity, age time.Duration, why engine.Text, workloads ...world.MemberWorkload) (*engine.Snapshot, *engine.Diagnosis, time.Time) {
	t.Helper()
	w, run, now := notReady(t)
	w.Focus.Run = run
	w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "aks prod-2", Identity: id, Why: why, Workloads: workloads, At: now.Add(-age)})
	snap, next := observe.Observe(nil, w, world.Changed{}, now)
	return snap, &snap.Find(run).Why, next
}

// TestPodReasons tables what each reason of a pod makes of the diagnosis.
func TestPodReasons(t *testing.T) {
	ready := world.MemberPod{Name: "front-old", Phase: "Running", Ready: true}
	bad := func(reason, message string) world.MemberPod {
		return world.MemberPod{Name: "front-new", Phase: "Pending", Reason: reason, Message: message, Container: "app", Image: "shop/front:3!"}
	}
	crash := bad("CrashLoopBackOff", "back-off 5m0s restarting failed container")
	crash.Restarts, crash.Ended = 7, "exit code 1"
	crashing := deployment(ready, ready, crash)
	crashing.LogOf, crashing.Log = "front-new", []string{"starting", "panic: no database", ""}
	killed := bad("CrashLoopBackOff", "")
	killed.Restarts, killed.Ended = 2, "OOMKilled"
	fails := func(message string) world.MemberWorkload {
		w := deployment(ready, ready)
		w.Setbacks = []world.MemberSetback{
			{Type: "Progressing", Status: "False", Reason: "ProgressDeadlineExceeded", Message: "has timed out"},
			{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: message},
		}
		return w
	}
	denies := func(w world.MemberWorkload) world.MemberWorkload {
		w.Setbacks = []world.MemberSetback{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: `pods "front-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2, limited: pods=2`}}
		return w
	}
	event := func(pods []world.MemberPod, object, reason, message string) world.MemberWorkload {
		w := deployment(pods...)
		w.Events = []world.MemberEvent{
			{Object: "Pod another", Type: "Warning", Reason: reason, Message: "another pod's"},
			{Object: object, Type: "Warning", Reason: reason, Message: message},
		}
		return w
	}
	tried := fails(`pods "front-x" is forbidden: exceeded quota: compute`)
	for _, at := range []string{"10:00:10", "10:01:20"} {
		tried.Events = append(tried.Events, world.MemberEvent{Object: "ReplicaSet front-7d9f8c6b5", Reason: "FailedCreate", Message: `(combined from similar events): Error creating: pods "front-y" is forbidden: exceeded quota: compute`, Last: moment(t, at)})
	}
	// The condition keeps the message of the first try.
	later := fails(`pods "front-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2, limited: pods=2`)
	later.Events = []world.MemberEvent{{Object: "ReplicaSet front-7d9f8c6b5", Reason: "FailedCreate", Message: `(combined from similar events): Error creating: admission webhook "policy.example" denied the request: no latest tag`, Last: moment(t, "10:01:20")}}
	tried.Events = append(tried.Events, world.MemberEvent{Object: "Pod front-run", Reason: "FailedCreate", Last: moment(t, "10:01:50")})
	untested := map[string]bool{}
	for _, e := range catalogue.OnPods() {
		untested[e.Cause.String()] = true
	}
	for _, tt := range []struct {
		name         string
		workload     world.MemberWorkload
		cause        string
		recovery     engine.Recovery
		what         string
		recoveryText string
		next         string
		evidence     string
		command      string
	}{
		{
			"InvalidImageName", deployment(ready, ready, bad("InvalidImageName", "couldn't parse image name")),
			"pod-image-name-invalid", engine.RecoveryByNewRun, "1 of 3 pods InvalidImageName, image shop/front:3!",
			"Needs a new run", "Fix image name shop/front:3! of Deployment web/front on the hub", "Pod web/front-new on prod-2 container app InvalidImageName: couldn't parse image name",
			"kubectl --context 'aks prod-2' -n web describe pod front-new",
		},
		{
			"ErrImagePull", deployment(bad("ErrImagePull", "rpc error: not found"), bad("ImagePullBackOff", ""), ready),
			"pod-image-pull-failed", engine.RecoveryOnMember, "2 of 3 pods ErrImagePull, image shop/front:3!: rpc error: not found", "After a fix on the member: push the image, or fix the registry", "Push image shop/front:3! if the registry does not have it, or fix the access of prod-2 to the registry", "rpc error: not found", "",
		},
		{
			"ImagePullBackOff", event([]world.MemberPod{bad("ImagePullBackOff", "Back-off pulling image")}, "Pod front-new", "Failed", "Failed to pull image: unauthorized"),
			"pod-image-pull-failed", engine.RecoveryOnMember, "1 of 1 pod ImagePullBackOff, image shop/front:3!: unauthorized", "After a fix on the member: push the image", "Push image", "ImagePullBackOff: Failed to pull image: unauthorized", "",
		},
		{
			"ErrImagePull, denied", deployment(bad("ErrImagePull", `rpc error: code = Unknown desc = failed to pull and unpack image "shop/front:3!": failed to resolve reference "shop/front:3!": 403 Forbidden: the firewall denies 20.42.0.0/16`)),
			"pod-image-pull-failed", engine.RecoveryOnMember, "1 of 1 pod ErrImagePull, image shop/front:3!: 403 Forbidden: the firewall denies 20.42.0.0/16", "After a fix on the member", "Push image", "403 Forbidden", "",
		},
		{
			"CrashLoopBackOff", crashing,
			"pod-crash-loop", engine.RecoveryOnMember, `1 of 3 pods CrashLoopBackOff (exit code 1), 7 restarts, last log line: panic: no database`, "After a fix on the member (", "Read the log of pod front-new (stagewatch member)", "last log line panic: no database",
			"kubectl --context 'aks prod-2' -n web logs front-new --tail=50 -c app --previous",
		},
		{"OOMKilled", deployment(killed), "pod-crash-loop", engine.RecoveryOnMember, "1 of 1 pod CrashLoopBackOff (OOMKilled), 2 restarts", "After a fix on the member (", "Read the log", "", ""},
		{
			"Unschedulable", deployment(bad("Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.")),
			"pod-unschedulable", engine.RecoveryOnMember, "1 of 1 pod Unschedulable, 0/3 nodes are available: 3 Insufficient cpu.", "After a fix on the member: capacity", "Add capacity on prod-2", "Insufficient cpu", "kubectl --context 'aks prod-2' get nodes",
		},
		{
			"FailedScheduling", event([]world.MemberPod{{Name: "front-new", Phase: "Pending"}}, "Pod front-new", "FailedScheduling", "0/3 nodes are available"),
			"pod-unschedulable", engine.RecoveryOnMember, "1 of 1 pod FailedScheduling, 0/3 nodes", "After a fix on the member", "Add capacity", "", "",
		},
		{
			"quota", fails(`pods "front-x" is forbidden: exceeded quota: compute`),
			"pods-exceed-quota", engine.RecoveryOnMember, `only 2 pods, FailedCreate: exceeded quota: compute`, "After a fix on the member: its quota has to allow the pods", "Raise the quota on prod-2", "exceeded quota", "describe resourcequotas",
		},
		{
			"quota, and when it was tried", tried,
			"pods-exceed-quota", engine.RecoveryOnMember, `only 2 pods, FailedCreate: exceeded quota: compute`, "the workload controller then retries within 17 minutes. Smaller requests need a new run: this run stays on snapshot 3. The last try was at 10:01:20 UTC.", "Raise the quota on prod-2", "exceeded quota", "describe resourcequotas",
		},
		{
			"the quota was raised, and a webhook denies the pods now", later,
			"pods-denied", engine.RecoveryOnMember, `only 2 pods: admission webhook "policy.example" denied its pods: "no latest tag"`, "the webhook or policy has to admit", "Change the webhook or policy on prod-2", "policy.example", "get validatingwebhookconfigurations",
		},
		{
			"a webhook that does not answer", fails(`Internal error occurred: failed calling webhook "pods.example": failed to call webhook: Post "https://127.0.0.1:9443/x?timeout=2s": dial tcp 127.0.0.1:9443: connect: connection refused`),
			"pods-webhook-unreachable", engine.RecoveryOnMember, `only 2 pods: admission webhook "pods.example" failed for its pods: failed to call webhook`, "the webhook has to answer", "Restore the webhook that the message names: its pods, Service and certificate on prod-2", "connection refused", "get validatingwebhookconfigurations",
		},
		{
			"quota with numbers", fails(`pods "front-7d9f8c6b5-x2x9k" is forbidden: exceeded quota: team-compute-quota, requested: limits.cpu=500m,requests.cpu=250m, used: limits.cpu=3800m,requests.cpu=1900m, limited: limits.cpu=4,requests.cpu=2`),
			"pods-exceed-quota", engine.RecoveryOnMember, `only 2 pods: resource quota "team-compute-quota" denied its pods: "requested: limits.cpu=500m,requests.cpu=250m, used: limits.cpu=3800m,requests.cpu=1900m, limited: limits.cpu=4,requests.cpu=2"`, "", "Raise the quota", "", "",
		},
		{
			"webhook of a StatefulSet", event(nil, "StatefulSet front", "FailedCreate", `create Pod front-0 in StatefulSet front failed error: admission webhook "validation.gatekeeper.sh" denied the request: [container-must-have-limits] container <app> has no resource limits, and the image is from a registry that is not allowed in this namespace`),
			"pods-denied", engine.RecoveryOnMember, `no pods: admission webhook "validation.gatekeeper.sh" denied its pods: "[container-must-have-limits] container <app> has no resource limits, and the image is from a registry that is not allowed in this namespace`, "", "", "", "",
		},
		{
			"PodSecurity", event(nil, "ReplicaSet front-7d9f8c6b5", "FailedCreate", `Error creating: pods "front-7d9f8c6b5-x2x9k" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)`),
			"pods-violate-pod-security", engine.RecoveryOnMember, `no pods: PodSecurity "restricted:latest" denied its pods: 'allowPrivilegeEscalation != false`, "After a fix on the member: the Pod Security level of the namespace", "Set the securityContext of Deployment web/front on the hub", "violates PodSecurity", "get namespaces web --show-labels",
		},
		{
			"a quota that requires limits", fails(`pods "front-x" is forbidden: failed quota: compute: must specify limits.cpu for: app; limits.memory for: app`),
			"pods-rejected-by-limits", engine.RecoveryOnMember, `only 2 pods: resource quota "compute" denied its pods: "must specify limits.cpu for: app; limits.memory for: app"`, "After a fix on the member: its LimitRange or its quota", "Set the requests and limits of Deployment web/front on the hub as the message requires", "failed quota", "-n web describe resourcequotas,limitranges",
		},
		{
			"LimitRange", fails(`pods "front-x" is forbidden: [maximum cpu usage per Container is 100m, but limit is 1, maximum memory usage per Container is 64Mi, but limit is 1Gi]`),
			"pods-rejected-by-limits", engine.RecoveryOnMember, `only 2 pods: a LimitRange denied its pods: "maximum cpu usage per Container is 100m, but limit is 1, maximum memory usage per Container is 64Mi, but limit is 1Gi"`, "After a fix on the member: its LimitRange", "Set the requests and limits", "maximum cpu usage", "describe resourcequotas,limitranges",
		},
		{
			"LimitRange ratio", fails(`pods "front-x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000`),
			"pods-rejected-by-limits", engine.RecoveryOnMember, `a LimitRange denied its pods: "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000"`, "", "Set the requests and limits", "", "",
		},
		{
			"policy", fails(`pods "front-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`),
			"pods-denied", engine.RecoveryOnMember, `ValidatingAdmissionPolicy "p" denied its pods: "no"`, "", "Change the webhook or policy on prod-2", "", "get validatingadmissionpolicies,validatingadmissionpolicybindings",
		},
		{
			"no scheduler", deployment(world.MemberPod{Name: "front-new", Phase: "Pending"}),
			"pod-not-assigned", engine.RecoveryOnMember, "1 of 1 pod Pending, without a node: no scheduler has reported a reason", "After a fix on the member: a scheduler", "Check that the scheduler of prod-2 is running", "", "describe pod front-new",
		},
		{
			"quota of a StatefulSet", event(nil, "StatefulSet front", "FailedCreate", "exceeded quota: compute"),
			"pods-exceed-quota", engine.RecoveryOnMember, "no pods, FailedCreate", "After a fix on the member: its quota", "Raise the quota", "", "",
		},
		{
			"webhook", fails(`admission webhook "policy.example" denied the request: no latest tag`),
			"pods-denied", engine.RecoveryOnMember, `only 2 pods: admission webhook "policy.example" denied its pods: "no latest tag"`, "After a fix on the member: the webhook or policy has to admit", "Change the webhook or policy on prod-2", "policy.example", "get validatingwebhookconfigurations",
		},
		{"service account", fails(`error looking up service account web/front`), "pods-not-created", engine.RecoveryOnMember, "service account web/front", "After a fix on the member", "Read the message of Deployment web/front (stagewatch member)", "", ""},
		{"missing ConfigMap", deployment(bad("CreateContainerConfigError", `configmap "settings" not found`)), "pod-config-missing", engine.RecoveryOnMember, `CreateContainerConfigError, configmap "settings" not found`, "After a fix on the member: the missing object", "Create the object that pod front-new needs on prod-2", "", ""},
		{
			"volume", event([]world.MemberPod{bad("ContainerCreating", "")}, "Pod front-new", "FailedMount", `secret "tls" not found`),
			"pod-config-missing", engine.RecoveryOnMember, `1 of 1 pod FailedMount, secret "tls" not found`, "After a fix on the member: the missing object", "Create the object that pod", "", "",
		},
		{
			"probe", event([]world.MemberPod{{Name: "front-new", Phase: "Running", Container: "app"}}, "Pod front-new", "Unhealthy", "Readiness probe failed: 503"),
			"pod-not-ready", engine.RecoveryOnMember, "1 of 1 pod not ready, Readiness probe failed: 503", "After a fix on the member (", "Read the readiness probe's events", "", "logs front-new",
		},
		{"starting", deployment(ready, ready, bad("ContainerCreating", "")), "pod-starting", engine.RecoveryAutomatic, "1 of 3 pods ContainerCreating", "Recovers automatically when the pod becomes ready.", "Wait until pod front-new on prod-2 is ready.", "", ""},
		{ // the quota was raised for one pod of two
			"starting, and the quota denies another", denies(deployment(ready, bad("ContainerCreating", ""))),
			"pods-exceed-quota", engine.RecoveryOnMember, `only 2 pods: resource quota "compute" denied its pods: "requested: pods=1, used: pods=2, limited: pods=2"`, "After a fix on the member: its quota", "Raise the quota", "", "",
		},
		{ // likewise, and the new pod fits on no node
			"unschedulable, and the quota denies another", denies(deployment(ready, bad("Unschedulable", "3 Insufficient cpu."))),
			"pod-unschedulable", engine.RecoveryOnMember, `1 of 2 pods Unschedulable, 3 Insufficient cpu; besides, resource quota "compute" denied its pods, which leaves only 2 pods`, "After a fix on the member: capacity", "Add capacity", "", "",
		},
		{ // the image was pushed, and one of two pods has pulled it
			"one pod runs, one does not pull", deployment(ready, world.MemberPod{Name: "front-run", Phase: "Running", Container: "app"}, bad("ErrImagePull", "rpc error: not found")),
			"pod-image-pull-failed", engine.RecoveryOnMember, "1 of 3 pods ErrImagePull, image shop/front:3!: rpc error: not found; 1 more not ready", "After a fix on the member: push the image", "Push image", "", "",
		},
		{"a reason without an entry", deployment(bad("Hexed", "the moon")), "workload-not-ready", engine.RecoveryOnMember, "1 of 1 pod Hexed, the moon", "", "", "Hexed: the moon", ""},
		{"deleted on the member", world.MemberWorkload{Kind: "Deployment", Namespace: "web", Name: "front", Missing: true}, "workload-not-ready", engine.RecoveryAutomatic, "it does not exist on the member", "Recovers automatically", "Wait for the member's agent: it retries and creates the object.", "metadata.name no such object now", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			delete(untested, tt.cause)
			snap, d, _ := diagnose(t, verified(), 20*time.Second, engine.Text{}, tt.workload)
			if d.Cause.String() != tt.cause || d.Recovery != tt.recovery {
				t.Errorf("cause %s, recovery %s", d.Cause, d.Recovery)
			}
			var evidence, commands strings.Builder
			for _, e := range d.Evidence {
				evidence.WriteString(e.Object.String() + " " + e.Field.String() + " " + e.Value.String() + "\n")
			}
			for _, c := range d.Commands {
				commands.WriteString(c.String() + "\n")
			}
			for _, x := range [][3]string{
				{"what", d.What.String(), tt.what},
				{"recovery", d.RecoveryText.String(), tt.recoveryText},
				{"next", d.Next.String(), tt.next},
				{"evidence", evidence.String(), tt.evidence},
				{"commands", commands.String(), tt.command},
			} {
				if !strings.Contains(x[1], x[2]) {
					t.Errorf("%s: no %q in\n%s", x[0], x[2], x[1])
				}
			}
			all := d.What.String() + d.RecoveryText.String() + d.Next.String() + evidence.String()
			for _, hold := range []string{catalogue.PlaceholderWorkload, catalogue.PlaceholderImage, catalogue.PlaceholderPod + " ", catalogue.PlaceholderMember, catalogue.PlaceholderSnapshot, "not verified", "another pod's"} {
				if strings.Contains(all, hold) {
					t.Errorf("%q in %s", hold, all)
				}
			}
			for _, e := range d.Commands {
				if strings.Contains(e.String(), "<context") {
					t.Errorf("command %s", e)
				}
			}
			// The cluster's row has the same diagnosis.
			for _, c := range slices.Concat(snap.Detail.Clusters...) {
				if c.Member == d.Member && (c.Diagnosis.Cause != d.Cause || !strings.Contains(c.Why.String(), tt.what)) {
					t.Errorf("the cluster: %s, %s", c.Diagnosis.Cause, c.Why)
				}
			}
		})
	}
	for cause := range untested {
		t.Errorf("no case for %s", cause)
	}
}

// TestUnprovenPodsAreMarked holds that everything taken from a context that is
// not verified says so, and that commands do not name it.
func TestUnprovenPodsAreMarked(t *testing.T) {
	pod := world.MemberPod{Name: "front-new", Reason: "InvalidImageName", Image: "shop/front:3!"}
	_, d, _ := diagnose(t, engine.Identity{Why: engine.Lit("no AppliedWork")}, 0, engine.Text{}, deployment(pod))
	texts := []engine.Text{d.What, d.RecoveryText, d.Read.Says, d.Evidence[0].Object}
	texts = append(texts, d.Steps...)
	for _, x := range texts {
		if !strings.Contains(x.String(), "not verified") {
			t.Errorf("not marked: %s", x)
		}
	}
	for _, c := range d.Commands {
		if strings.Contains(c.String(), "aks prod-2") {
			t.Errorf("names the context: %s", c)
		}
	}
}

// TestOldReportsExplainNothing holds that a report explains for five minutes, and
// that the diagnosis changes then without an event.
func TestOldReportsExplainNothing(t *testing.T) {
	pod := world.MemberPod{Name: "front-new", Reason: "InvalidImageName"}
	_, d, next := diagnose(t, verified(), 5*time.Minute-time.Second, engine.Text{}, deployment(pod))
	if d.Cause != catalogue.PodImageName {
		t.Errorf("cause %s", d.Cause)
	}
	_, _, now := notReady(t)
	if want := now.Add(time.Second); !next.Equal(want) {
		t.Errorf("looks again at %s, want %s", next, want)
	}
	_, d, _ = diagnose(t, verified(), 5*time.Minute, engine.Text{}, deployment(pod))
	if d.Cause != catalogue.WorkloadNotReady || !d.Read.At.IsZero() {
		t.Errorf("cause %s from %+v", d.Cause, d.Read)
	}
}

// TestReportsThatDoNotExplain: nothing read, all ready, another workload.
func TestReportsThatDoNotExplain(t *testing.T) {
	_, d, _ := diagnose(t, engine.Identity{}, 0, engine.Lit("forbidden"))
	if d.Cause != catalogue.WorkloadNotReady || d.Read.Why != engine.Lit("forbidden") || !d.Read.Says.IsZero() {
		t.Errorf("forbidden: %s, %+v", d.Cause, d.Read)
	}
	ok := world.MemberPod{Name: "a", Ready: true}
	settled := deployment(ok, ok, ok)
	settled.Updated, settled.Ready, settled.Available = 3, 3, 3
	_, d, _ = diagnose(t, verified(), 0, engine.Text{}, settled)
	if d.Cause != catalogue.WorkloadNotReady || !strings.Contains(d.What.String(), ": all its pods are ready on the member now") {
		t.Errorf("ready: %s, %s", d.Cause, d.What)
	}
	other := deployment(world.MemberPod{Name: "b", Reason: "InvalidImageName"})
	other.Name = "another"
	_, d, _ = diagnose(t, verified(), 0, engine.Text{}, other)
	if d.Cause != catalogue.WorkloadNotReady {
		t.Errorf("another workload: %s", d.Cause)
	}
}

// TestPodsThatWereNotRead: a stuck run whose cause lies in pods says that its member
// was not read, until it was.
func TestPodsThatWereNotRead(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
	w, id := s.world(t, "")
	now := moment(t, s.Now)
	lacks := func() bool {
		snap, _ := observe.Observe(nil, w, world.Changed{}, now)
		if c := snap.Find(id).Why.Cause; c != catalogue.WorkloadNotReady {
			t.Fatalf("cause %s", c)
		}
		return slices.ContainsFunc(snap.Missing[id], func(g engine.Gap) bool {
			return strings.HasPrefix(g.What.String(), "pods on ") && !g.Pending
		})
	}
	if !lacks() {
		t.Error("nothing says that the pods were not read")
	}
	member := ""
	var manifest *placement.FailedResourcePlacement
	for _, of := range w.Bindings {
		for _, b := range of {
			if len(b.Failed) > 0 {
				member, manifest = b.Cluster, &b.Failed[0]
			}
		}
	}
	failing := func(name string, why engine.Text) []world.MemberWorkload {
		return []world.MemberWorkload{{Kind: manifest.Kind, Namespace: manifest.Namespace, Name: name, Why: why}}
	}
	for _, tt := range []struct {
		name      string
		workloads []world.MemberWorkload
		lacks     bool
	}{
		{"no workload", nil, true},
		{"another workload", failing("another", engine.Text{}), true},
		{"the workload, without an answer", failing(manifest.Name, engine.Lit("no answer in time")), true},
		{"the workload", failing(manifest.Name, engine.Text{}), false},
	} {
		w.Report(&world.MemberReport{Run: id, Member: member, Context: "x", Identity: verified(), Workloads: tt.workloads, At: now})
		if got := lacks(); got != tt.lacks {
			t.Errorf("%s: pods are missing: %v", tt.name, got)
		}
	}
}

// A person changes an override, not the snapshot of it that the run uses.
func TestTheOverrideIsNamedAndNotItsSnapshot(t *testing.T) {
	w, run, now := notReady(t)
	of := w.Runs[run].DeepCopy()
	for i := range of.Status.StagesStatus {
		for j := range of.Status.StagesStatus[i].Clusters {
			of.Status.StagesStatus[i].Clusters[j].ResourceOverrideSnapshots = []placement.NamespacedName{{Namespace: "web", Name: "mirror-prod-3-0"}}
		}
	}
	w.Runs[run], w.Focus.Run = of, run
	for _, byName := range w.Bindings {
		for _, b := range byName {
			b.Overrides = []string{"web/mirror-prod-3-0"}
		}
	}
	bad := world.MemberPod{Name: "front-new", Phase: "Pending", Reason: "InvalidImageName", Container: "app", Image: "shop/front:3!"}
	w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "aks prod-2", Identity: verified(), Workloads: []world.MemberWorkload{deployment(bad)}, At: now})
	snap, _ := observe.Observe(nil, w, world.Changed{}, now)
	d := &snap.Find(run).Why
	if !strings.Contains(engine.Join(d.Steps, " ").String(), "override web/mirror-prod-3 if that sets it, else in the manifest") || engine.Join(d.Overrides, " ").String() != "web/mirror-prod-3" {
		t.Errorf("%q %q", d.Steps, d.Overrides)
	}
}

// Where the overrides are not read, or the hub does not serve them, the run has their names.
func TestAnOverrideThatIsNotReadIsNamed(t *testing.T) {
	rows := readRows(t, "facts-5.3.yaml")
	at := slices.IndexFunc(rows, func(r row) bool { return r.Row == "5.3 Overridden False: doc is missing path" })
	for _, tt := range []struct {
		used []placement.NamespacedName
		next string
	}{
		{nil, "Fix the override, then create a new run (stagewatch clone)."},
		{[]placement.NamespacedName{{Namespace: "web", Name: "mirror-0"}}, "Fix override web/mirror, then create a new run (stagewatch clone)."},
		{[]placement.NamespacedName{{Namespace: "web", Name: "mirror-0"}, {Namespace: "web", Name: "size-3"}}, "Fix the override that fails (one of web/mirror and web/size), then create a new run (stagewatch clone)."},
	} {
		s := rows[at].situation(t, "flight", "")
		s.Now = "10:04:00"
		for i := range s.Run.Status.StagesStatus {
			for j := range s.Run.Status.StagesStatus[i].Clusters {
				s.Run.Status.StagesStatus[i].Clusters[j].ResourceOverrideSnapshots = tt.used
			}
		}
		for i := range s.Bindings {
			for _, o := range tt.used {
				s.Bindings[i].Overrides = append(s.Bindings[i].Overrides, o.Namespace+"/"+o.Name)
			}
		}
		w, run := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(run).Why; d.Cause.String() != "override-path" || d.Next.String() != tt.next || len(d.Steps) < 2 {
			t.Errorf("%v: %s %q", tt.used, d.Cause, d.Steps)
		}
	}
}

// A member that is being deleted does not hide that the manifest fails on every other cluster.
func TestAWrongImageOnAMemberThatIsBeingDeleted(t *testing.T) {
	for _, row := range readRows(t, "facts-5.3.yaml") {
		if row.Row != "5.3 ManifestNotAvailableYet" {
			continue
		}
		s := row.situation(t, "flight", "")
		s.Now = "10:04:00"
		s.Members = []memberData{{Name: "prod-2", Deleting: metav1.NewTime(moment(t, "10:03:30"))}}
		w, run := s.world(t, "")
		now := moment(t, s.Now)
		w.Focus.Run = run
		pods := deployment(world.MemberPod{Name: "front-new", Phase: "Pending", Reason: "InvalidImageName", Container: "app", Image: "shop/front:3!"})
		w.Report(&world.MemberReport{Run: run, Member: "prod-2", Context: "aks prod-2", Identity: verified(), Workloads: []world.MemberWorkload{pods}, At: now})
		snap, _ := observe.Observe(nil, w, world.Changed{}, now)
		d := &snap.Find(run).Why
		has(t, d.Next.String(), "Wait until member prod-2 is deleted, which cannot be undone.")
		has(t, engine.Join(d.Steps, "\n").String(), "Other clusters fail for the same reason. Fix image name shop/front:3! of Deployment web/front on the hub")
		return
	}
	t.Fatal("no row")
}
