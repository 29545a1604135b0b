package triage

import (
	"regexp"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// commandLines make the command line of each command; it is empty when the case
// lacks what the command names.
var commandLines = map[command]func(*kit) engine.Text{
	cShowNamespace:       showNamespace,
	cShowRun:             showRun,
	cShowRuns:            showRuns,
	cShowPlacement:       showPlacement,
	cShowPlacements:      showPlacements,
	cShowBindings:        showBindings,
	cShowPolicySnapshots: showPolicySnapshots,
	cShowSnapshots:       showSnapshots,
	cShowStrategy:        showStrategy,
	cShowStrategies:      showStrategies,
	cShowMembers:         showMembers,
	cShowNamedMembers:    showNamedMembers,
	cShowApprovals:       showApprovals,
	cApprove:             approve,
	cDeleteApproval:      deleteApproval,
	cStart:               start,
	cShowRival:           showRival,
	cStopRival:           stopRival,
	cShowWinner:          showWinner,
	cShowLogs:            showLogs,
	cShowHubAgent:        showHubAgent,
	cShowBinding:         showBinding,
	cShowWorks:           showWorks,
	cShowWorkFinalizers:  showWorkFinalizers,
	cShowMember:          showMember,
	cShowOnMember:        showOnMember,
	cShowOwnersOnMember:  showOwnersOnMember,
	cShowPodsOnMember:    showPodsOnMember,
	cShowPodOnMember:     showPodOnMember,
	cShowPodLogOnMember:  showPodLogOnMember,
	cShowNodesOnMember:   showNodesOnMember,
	cShowQuotaOnMember:   showQuotaOnMember,
	cShowAgentOnMember:   showAgentOnMember,
	cShowOverrides:       showOverrides,
	cShowBroken:          showBroken,
}

// hub makes a command line about something in the run's namespace, or about
// something of the cluster scope when the run is cluster-scoped.
func (k *kit) hub(args ...string) engine.Text {
	ns, _, _ := k.v.ID.Raw()
	return engine.Kubectl(k.c.Hub, ns, args...)
}

// fleet makes one about something that is always cluster-scoped.
func (k *kit) fleet(args ...string) engine.Text { return engine.Kubectl(k.c.Hub, "", args...) }

// member makes one for the member: with its context when that is proven, else
// with a placeholder.
func (k *kit) member(namespace string, args ...string) engine.Text {
	hub := engine.Hub{Context: engine.Textf("<context of %s>", k.cluster.Name)}
	if r := k.c.Report(k.cluster.Name); r != nil && r.Identity.Verdict == engine.Verified {
		hub = engine.Hub{Context: engine.Clean(r.Context), Kubeconfig: k.c.Hub.Kubeconfig}
	}
	return engine.Kubectl(hub, namespace, args...)
}

// plural picks the resource of the case's scope (docs/kubefleet.md#kinds: full
// plurals, since short names collide).
func (k *kit) plural(cluster, namespaced string) string {
	if k.namespaced() {
		return namespaced
	}
	return cluster
}

func (k *kit) ofPlacement() string {
	_, name, _ := k.v.Placement.Raw()
	return placement.LabelParentPlacement + "=" + name
}

func showRun(k *kit) engine.Text {
	if k.c.Run == nil {
		return engine.Text{}
	}
	_, name, _ := k.v.ID.Raw()
	return k.hub("get", k.v.ID.Kind().Plural(), name, "-o", "yaml")
}

func showRuns(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterstagedupdateruns", "stagedupdateruns"))
}

func showPlacement(k *kit) engine.Text {
	_, name, _ := k.v.Placement.Raw()
	if name == "" {
		return engine.Text{}
	}
	return k.hub("describe", k.v.Placement.Kind().Plural(), name)
}

func showPlacements(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterresourceplacements", "resourceplacements"))
}

func showBindings(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterresourcebindings", "resourcebindings"), "-l", k.ofPlacement(), "-o", "wide")
}

func showPolicySnapshots(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterschedulingpolicysnapshots", "schedulingpolicysnapshots"),
		"-l", k.ofPlacement()+","+placement.LabelIsLatestSnapshot+"=true", "-o", "yaml")
}

func showSnapshots(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterresourcesnapshots", "resourcesnapshots"),
		"-l", k.ofPlacement(), "-L", placement.LabelResourceIndex+","+placement.LabelIsLatestSnapshot)
}

func showStrategy(k *kit) engine.Text {
	if k.c.Run == nil || k.c.Run.Spec.StagedRolloutStrategyName == "" {
		return engine.Text{}
	}
	return k.hub("get", k.plural("clusterstagedupdatestrategies", "stagedupdatestrategies"), k.c.Run.Spec.StagedRolloutStrategyName, "-o", "yaml")
}

func showStrategies(k *kit) engine.Text {
	return k.hub("get", k.plural("clusterstagedupdatestrategies", "stagedupdatestrategies"))
}

func showMembers(k *kit) engine.Text { return k.fleet("get", "memberclusters", "--show-labels") }

// showNamedMembers shows the members that the hub's message names, all when it
// names none.
func showNamedMembers(k *kit) engine.Text {
	names := k.namedClusters()
	if len(names) == 0 {
		return showMembers(k)
	}
	return k.fleet(append([]string{"get", "memberclusters", "--show-labels"}, names...)...)
}

// namedClusters lists the clusters that the hub's message names, or the one
// that the case is about.
func (k *kit) namedClusters() []string {
	var out []string
	for n := range strings.SplitSeq(k.said["names"], ",") {
		// A message stops after ten names with dots.
		if n = strings.Trim(strings.TrimSuffix(strings.TrimSpace(n), "..."), " "); n != "" {
			out = append(out, n)
		}
	}
	if n := k.said["cluster"]; n != "" {
		out = append(out, n)
	}
	if len(out) == 0 && k.cluster != nil {
		out = append(out, k.cluster.Name)
	}
	return out
}

func showApprovals(k *kit) engine.Text {
	if k.c.Run == nil {
		return engine.Text{}
	}
	_, name, _ := k.v.ID.Raw()
	return k.hub("get", k.plural("clusterapprovalrequests", "approvalrequests"),
		"-l", placement.LabelTargetUpdateRun+"="+name, "-o", "yaml")
}

// approve writes an approval as the guides do, with the right generation. The
// time is the shell's: one that is written here would be old when it is used.
func approve(k *kit) engine.Text {
	g := openApproval(k.v)
	if g == nil || !g.Mergeable() || g.Foreign() {
		return engine.Text{}
	}
	_, name, _ := g.Request.Raw()
	return engine.Textf(`%s -p '{"status":{"conditions":[{"type":"Approved","status":"True","reason":"approved","message":"approved","lastTransitionTime":"'"$(date -u +%%Y-%%m-%%dT%%H:%%M:%%SZ)"'","observedGeneration":%d}]}}'`,
		k.hub("patch", g.Request.Kind().Plural(), name, "--subresource=status", "--type=merge"), g.Generation)
}

func deleteApproval(k *kit) engine.Text {
	name := strings.TrimPrefix(k.said["request"], "/")
	if g := openApproval(k.v); name == "" && g != nil && g.Foreign() {
		_, name, _ = g.Request.Raw()
	}
	if i := strings.LastIndex(name, "/"); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		return engine.Text{}
	}
	return k.hub("delete", k.plural("clusterapprovalrequests", "approvalrequests"), name)
}

// start patches the state to Run: a start or a resume.
func start(k *kit) engine.Text { return setState(k, k.v.ID, placement.StateRun) }

func setState(k *kit, run engine.ID, state placement.State) engine.Text {
	_, name, _ := run.Raw()
	return k.hub("patch", run.Kind().Plural(), name, "--type=merge", "-p", `{"spec":{"state":"`+string(state)+`"}}`)
}

func showRival(k *kit) engine.Text {
	if len(k.c.Rivals) == 0 {
		return engine.Text{}
	}
	_, name, _ := k.c.Rivals[0].ID.Raw()
	return k.hub("get", k.c.Rivals[0].ID.Kind().Plural(), name, "-o", "yaml")
}

func stopRival(k *kit) engine.Text {
	if len(k.c.Rivals) == 0 || k.c.Rivals[0].Stopped {
		return engine.Text{}
	}
	return setState(k, k.c.Rivals[0].ID, placement.StateStop)
}

// showWinner shows the run that took a cluster of a preempted one.
func showWinner(k *kit) engine.Text {
	if k.v.TakenBy.IsZero() {
		return engine.Text{}
	}
	_, name, _ := k.v.TakenBy.Raw()
	return k.hub("get", k.v.TakenBy.Kind().Plural(), name, "-o", "yaml")
}

// hubNamespace is where the controller of the upstream chart runs.
const hubNamespace = "fleet-system"

func showLogs(k *kit) engine.Text {
	ns, name, _ := k.v.ID.Raw()
	full := regexp.QuoteMeta(name)
	if ns != "" {
		full = regexp.QuoteMeta(ns + "/" + name)
	}
	return engine.Textf("%s | grep -E %s",
		engine.Kubectl(k.c.Hub, hubNamespace, "logs", "-l", "app.kubernetes.io/name=hub-agent", "-c", "hub-agent", "--tail=-1"),
		engine.Quote(`updateRun="/?`+full+`"`))
}

func showHubAgent(k *kit) engine.Text {
	return engine.Kubectl(k.c.Hub, hubNamespace, "get", "deployments,pods", "-l", "app.kubernetes.io/name=hub-agent")
}

func showBinding(k *kit) engine.Text {
	if k.cluster == nil || k.cluster.Binding == nil {
		return showBindings(k)
	}
	_, name, _ := k.cluster.Binding.ID.Raw()
	return k.hub("get", k.cluster.Binding.ID.Kind().Plural(), name, "-o", "yaml")
}

// showWorks shows the Works of the placement for the cluster.
func showWorks(k *kit) engine.Text { return k.works("yaml") }

// showWorkFinalizers prints which Works remain and what holds their deletion.
func showWorkFinalizers(k *kit) engine.Text {
	return k.works("custom-columns=NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers")
}

// works gets the Works of the placement for the cluster. Those of a namespaced
// placement carry its namespace in a label.
func (k *kit) works(output string) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	sel := k.ofPlacement() + ",!" + placement.LabelParentPlacementNamespace
	if ns, _, _ := k.v.ID.Raw(); ns != "" {
		sel = k.ofPlacement() + "," + placement.LabelParentPlacementNamespace + "=" + ns
	}
	return engine.Kubectl(k.c.Hub, placement.MemberNamespace(k.cluster.Name), "get", "works", "-l", sel, "-o", output)
}

func showMember(k *kit) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	return k.fleet("describe", "memberclusters", k.cluster.Name)
}

// showOnMember shows the failing object where it is.
func showOnMember(k *kit) engine.Text {
	m := k.manifest
	if k.cluster == nil || m == nil || m.Kind == "" || m.Name == "" {
		return engine.Text{}
	}
	return k.member(m.Namespace, "describe", kindOf(m), m.Name)
}

// kindOf names the kind of a manifest for kubectl.
func kindOf(m *placement.FailedResourcePlacement) string {
	if m.Group == "" {
		return strings.ToLower(m.Kind)
	}
	return strings.ToLower(m.Kind) + "." + m.Group
}

// showOwnersOnMember prints who owns the failing object on the member, and who
// writes its fields: the controller's message names neither.
func showOwnersOnMember(k *kit) engine.Text {
	m := k.manifest
	if k.cluster == nil || m == nil || m.Kind == "" || m.Name == "" {
		return engine.Text{}
	}
	return k.member(m.Namespace, "get", kindOf(m), m.Name, "-o",
		`jsonpath={range .metadata.ownerReferences[*]}owner: {.kind} {.name}{"\n"}{end}{range .metadata.managedFields[*]}manager: {.manager}{"\n"}{end}`, "--show-managed-fields")
}

func showPodsOnMember(k *kit) engine.Text {
	if k.cluster == nil || k.manifest == nil || k.manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member(k.manifest.Namespace, "get", "pods", "-o", "wide")
}

// showPodOnMember shows the pod that the diagnosis is about.
func showPodOnMember(k *kit) engine.Text {
	if k.pod == nil || k.pod.Pod == "" {
		return engine.Text{}
	}
	return k.member(k.workload.Namespace, "describe", "pod", k.pod.Pod)
}

// showPodLogOnMember shows the log of its container, of the last one that ended
// when it was restarted.
func showPodLogOnMember(k *kit) engine.Text {
	if k.pod == nil || k.pod.Pod == "" || k.pod.Ended == "" && k.pod.Reason != engine.PodNotReady {
		return engine.Text{}
	}
	args := []string{"logs", k.pod.Pod, "--tail=50"}
	if k.pod.Container != "" {
		args = append(args, "-c", k.pod.Container)
	}
	if k.pod.Restarts > 0 {
		args = append(args, "--previous")
	}
	return k.member(k.workload.Namespace, args...)
}

func showNodesOnMember(k *kit) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	return k.member("", "get", "nodes")
}

func showQuotaOnMember(k *kit) engine.Text {
	if k.cluster == nil || k.manifest == nil || k.manifest.Namespace == "" {
		return engine.Text{}
	}
	return k.member(k.manifest.Namespace, "describe", "resourcequotas")
}

func showAgentOnMember(k *kit) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	return k.member(hubNamespace, "get", "pods")
}

func showOverrides(k *kit) engine.Text {
	return k.fleet("get", "clusterresourceoverridesnapshots,resourceoverridesnapshots", "-A",
		"-l", placement.LabelIsLatestSnapshot+"=true", "-o", "yaml")
}

func showNamespace(k *kit) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	return k.fleet("get", "namespaces", placement.MemberNamespace(k.cluster.Name), "-o", "yaml")
}

// showBroken shows a run that could not be decoded.
func showBroken(k *kit) engine.Text {
	_, name, _ := k.v.ID.Raw()
	return k.hub("get", k.v.ID.Kind().Plural(), name, "-o", "yaml")
}
