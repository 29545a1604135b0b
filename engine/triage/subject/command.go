package subject

import (
	"regexp"
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
)

// CommandLines make the command line of each command; it is empty when the case
// lacks what the command names.
var CommandLines = [...]func(*Subject) engine.Text{
	catalogue.ShowNamespace:            showNamespace,
	catalogue.ShowRun:                  showRun,
	catalogue.ShowRuns:                 showRuns,
	catalogue.ShowPlacement:            showPlacement,
	catalogue.ShowPlacements:           showPlacements,
	catalogue.ShowBindings:             showBindings,
	catalogue.ShowPolicySnapshots:      showPolicySnapshots,
	catalogue.ShowSnapshots:            showSnapshots,
	catalogue.ShowStrategy:             showStrategy,
	catalogue.ShowStrategies:           showStrategies,
	catalogue.ShowMembers:              ShowMembers,
	catalogue.ShowNamedMembers:         showNamedMembers,
	catalogue.ShowApprovals:            showApprovals,
	catalogue.Approve:                  approve,
	catalogue.ShowApproval:             showApproval,
	catalogue.DeleteApproval:           deleteApproval,
	catalogue.Start:                    start,
	catalogue.ShowRival:                showRival,
	catalogue.StopRival:                stopRival,
	catalogue.ShowWinner:               showWinner,
	catalogue.ShowLogs:                 showLogs,
	catalogue.ShowHubAgent:             showHubAgent,
	catalogue.ShowBinding:              showBinding,
	catalogue.ShowBindingWriters:       showBindingWriters,
	catalogue.ShowWorks:                showWorks,
	catalogue.ShowWorkFinalizers:       showWorkFinalizers,
	catalogue.ShowAppliedWorksOnMember: showAppliedWorksOnMember,
	catalogue.ShowWorkObjects:          showWorkObjects,
	catalogue.ShowOtherPlacement:       showOtherPlacement,
	catalogue.ShowKindOnMember:         showKindOnMember,
	catalogue.ShowMember:               showMember,
	catalogue.ShowOnMember:             showOnMember,
	catalogue.ShowOwnersOnMember:       showOwnersOnMember,
	catalogue.ShowPodsOnMember:         showPodsOnMember,
	catalogue.ShowPodOnMember:          showPodOnMember,
	catalogue.ShowPodLogOnMember:       showPodLogOnMember,
	catalogue.ShowNodesOnMember:        showNodesOnMember,
	catalogue.ShowQuotaOnMember:        showQuotaOnMember,
	catalogue.ShowLimitsOnMember:       showLimitsOnMember,
	catalogue.ShowNamespaceOnMember:    showNamespaceOnMember,
	catalogue.ShowNamespacesOnMember:   showNamespacesOnMember,
	catalogue.ShowAdmissionOnMember:    showAdmissionOnMember,
	catalogue.ShowPermissionOnMember:   showPermissionOnMember,
	catalogue.ShowAgentOnMember:        showAgentOnMember,
	catalogue.ShowOverrides:            showOverrides,
	catalogue.ShowUsedOverrides:        showUsedOverrides,
	catalogue.ShowBroken:               showBroken,
}

// hub makes a command line about something in the run's namespace, or about
// something of the cluster scope when the run is cluster-scoped.
func (k *Subject) hub(args ...string) engine.Text {
	ns, _, _ := k.View.ID.Raw()
	return shell.Kubectl(k.Case.Hub, ns, args...)
}

// fleet makes one about something that is always cluster-scoped.
func (k *Subject) fleet(args ...string) engine.Text { return shell.Kubectl(k.Case.Hub, "", args...) }

// member makes one for the member: with its context when that is proven, else
// with a placeholder.
func (k *Subject) member(namespace string, args ...string) engine.Text {
	hub := engine.Hub{Context: engine.Textf("<context of %s>", k.Cluster.Name)}
	if r := k.Case.Report(k.Cluster.Name); r != nil && r.Identity.Verdict == engine.Verified {
		hub = engine.Hub{Context: engine.Clean(r.Context), Kubeconfig: k.Case.Hub.Kubeconfig}
	}
	return shell.Kubectl(hub, namespace, args...)
}

// Plural picks the resource of the case's scope (docs/kubefleet.md#kinds: full
// plurals, since short names collide).
func (k *Subject) Plural(cluster, namespaced string) string {
	if k.Namespaced() {
		return namespaced
	}
	return cluster
}

func (k *Subject) ofPlacement() string {
	_, name, _ := k.View.Placement.Raw()
	return placement.LabelParentPlacement + "=" + name
}

func showRun(k *Subject) engine.Text {
	if k.Case.Run == nil {
		return engine.Text{}
	}
	_, name, _ := k.View.ID.Raw()
	return k.hub("get", k.View.ID.Kind().Plural(), name, "-o", "yaml")
}

func showRuns(k *Subject) engine.Text {
	return k.hub("get", k.Plural("clusterstagedupdateruns", "stagedupdateruns"))
}

func showPlacement(k *Subject) engine.Text {
	_, name, _ := k.View.Placement.Raw()
	if name == "" || k.Case.NoPlacement {
		return engine.Text{}
	}
	return k.hub("describe", k.View.Placement.Kind().Plural(), name)
}

func showPlacements(k *Subject) engine.Text {
	return k.hub("get", k.Plural("clusterresourceplacements", "resourceplacements"))
}

// bindingColumns are what tells bindings apart: kubectl's own columns have neither the
// cluster nor the snapshot.
const bindingColumns = "custom-columns=CLUSTER:.spec.targetCluster,STATE:.spec.state,SNAPSHOT:.spec.resourceSnapshotName,DELETING:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers"

func showBindings(k *Subject) engine.Text {
	return k.hub("get", k.Plural("clusterresourcebindings", "resourcebindings"), "-l", k.ofPlacement(), "-o", bindingColumns)
}

// showPolicySnapshots shows the latest policy snapshots, all where none is labelled latest.
func showPolicySnapshots(k *Subject) engine.Text {
	of := k.ofPlacement() + "," + placement.LabelIsLatestSnapshot + "=true"
	if latest, all, _ := k.Case.Nearby.LatestPolicies(); len(latest) == 0 && len(all) > 0 {
		of = k.ofPlacement()
	}
	return k.hub("get", k.Plural("clusterschedulingpolicysnapshots", "schedulingpolicysnapshots"), "-l", of, "-o", "yaml")
}

// LabelLatest sets whether a policy snapshot is labelled latest.
func LabelLatest(k *Subject, snapshot string, latest bool) engine.Text {
	return k.hub("label", "--overwrite", k.Plural("clusterschedulingpolicysnapshots", "schedulingpolicysnapshots"), snapshot,
		placement.LabelIsLatestSnapshot+"="+strconv.FormatBool(latest))
}

func showSnapshots(k *Subject) engine.Text {
	return k.hub("get", k.Plural("clusterresourcesnapshots", "resourcesnapshots"),
		"-l", k.ofPlacement(), "-L", placement.LabelResourceIndex+","+placement.LabelIsLatestSnapshot)
}

func showStrategy(k *Subject) engine.Text {
	if k.Case.Run == nil || k.Case.Run.Spec.StagedRolloutStrategyName == "" {
		return engine.Text{}
	}
	if s, read := k.Case.Nearby.Strategy(k.Case.Run.Spec.StagedRolloutStrategyName); s == nil && read {
		return engine.Text{}
	}
	return k.hub("get", k.Plural("clusterstagedupdatestrategies", "stagedupdatestrategies"), k.Case.Run.Spec.StagedRolloutStrategyName, "-o", "yaml")
}

func showStrategies(k *Subject) engine.Text {
	return k.hub("get", k.Plural("clusterstagedupdatestrategies", "stagedupdatestrategies"))
}

// ShowMembers prints the member clusters with their labels.
func ShowMembers(k *Subject) engine.Text { return k.fleet("get", "memberclusters", "--show-labels") }

func showApprovals(k *Subject) engine.Text {
	if k.Case.Run == nil {
		return engine.Text{}
	}
	_, name, _ := k.View.ID.Raw()
	return k.hub("get", k.Plural("clusterapprovalrequests", "approvalrequests"),
		"-l", placement.LabelTargetUpdateRun+"="+name, "-o", "yaml")
}

// approve writes an approval as the guides do, with the right generation. The
// time is the shell's: one that is written here would be old when it is used.
func approve(k *Subject) engine.Text {
	g := openApproval(k.View)
	if g == nil || !g.Mergeable() || g.Foreign() || g.Deleting() || k.placementGoes() {
		return engine.Text{}
	}
	_, name, _ := g.Request.Raw()
	return engine.Textf(`%s -p '{"status":{"conditions":[{"type":"Approved","status":"True","reason":"approved","message":"approved","lastTransitionTime":"'"$(date -u +%%Y-%%m-%%dT%%H:%%M:%%SZ)"'","observedGeneration":%d}]}}'`,
		k.hub("patch", g.Request.Kind().Plural(), name, "--subresource=status", "--type=merge"), g.Generation)
}

func deleteApproval(k *Subject) engine.Text {
	if name := foreignApproval(k); name != "" {
		return k.hub("delete", k.Plural("clusterapprovalrequests", "approvalrequests"), name)
	}
	return engine.Text{}
}

// showApproval shows the request that deleteApproval deletes.
func showApproval(k *Subject) engine.Text {
	if name := foreignApproval(k); name != "" {
		return k.hub("get", k.Plural("clusterapprovalrequests", "approvalrequests"), name, "-o", "yaml")
	}
	return engine.Text{}
}

// foreignApproval names the approval request of another run that has the name of one of
// this run; empty for none, or when it was deleted since.
func foreignApproval(k *Subject) string {
	name := strings.TrimPrefix(k.Named["request"], "/")
	if _, g := k.View.ForeignGate(); name == "" && g != nil {
		_, name, _ = g.Request.Raw()
	}
	if i := strings.LastIndex(name, "/"); i >= 0 {
		name = name[i+1:]
	}
	if request, known := k.Case.Request(name); request == nil && known {
		return ""
	}
	return name
}

// start patches the state to Run: a start or a resume.
func start(k *Subject) engine.Text {
	if k.placementGoes() {
		return engine.Text{}
	}
	return setState(k, k.View.ID, placement.StateRun)
}

// placementGoes reports whether the placement is being deleted: no command continues a run
// of it.
func (k *Subject) placementGoes() bool {
	return k.Case.Placement != nil && !k.Case.Placement.Deleting.IsZero()
}

func setState(k *Subject, run engine.ID, state placement.State) engine.Text {
	_, name, _ := run.Raw()
	return k.hub("patch", run.Kind().Plural(), name, "--type=merge", "-p", `{"spec":{"state":"`+string(state)+`"}}`)
}

func showRival(k *Subject) engine.Text {
	if len(k.Case.CompetingRuns) == 0 {
		return engine.Text{}
	}
	_, name, _ := k.Case.CompetingRuns[0].ID.Raw()
	return k.hub("get", k.Case.CompetingRuns[0].ID.Kind().Plural(), name, "-o", "yaml")
}

func stopRival(k *Subject) engine.Text {
	if len(k.Case.CompetingRuns) == 0 || k.Case.CompetingRuns[0].Stopped || k.Case.CompetingRuns[0].Initialize {
		return engine.Text{}
	}
	return setState(k, k.Case.CompetingRuns[0].ID, placement.StateStop)
}

// showWinner shows the run that took a cluster of a preempted one.
func showWinner(k *Subject) engine.Text {
	if k.View.PreemptedBy.IsZero() || k.Case.WinnerGone {
		return engine.Text{}
	}
	_, name, _ := k.View.PreemptedBy.Raw()
	return k.hub("get", k.View.PreemptedBy.Kind().Plural(), name, "-o", "yaml")
}

// hubNamespace is where the controller of the upstream chart runs.
const hubNamespace = "fleet-system"

func showLogs(k *Subject) engine.Text {
	ns, name, _ := k.View.ID.Raw()
	full := regexp.QuoteMeta(name)
	if ns != "" {
		full = regexp.QuoteMeta(ns + "/" + name)
	}
	find := `updateRun="/?` + full + `"`
	if k.Cluster != nil && k.Cluster.Binding != nil { // the lines of the work generator name the binding, not the run
		find += `|[/"]` + regexp.QuoteMeta(k.Cluster.Binding.ID.RawName()) + `"`
	}
	return engine.Textf("%s | grep -E %s",
		shell.Kubectl(k.Case.Hub, hubNamespace, "logs", "-l", "app.kubernetes.io/name=hub-agent", "-c", "hub-agent", "--tail=-1"),
		shell.Quote(find))
}

func showHubAgent(k *Subject) engine.Text {
	return shell.Kubectl(k.Case.Hub, hubNamespace, "get", "deployments,pods", "-l", "app.kubernetes.io/name=hub-agent")
}

// showWorks shows the Works of the placement for the cluster.
func showWorks(k *Subject) engine.Text { return k.works("yaml") }

// showWorkFinalizers prints which Works remain and what holds their deletion.
func showWorkFinalizers(k *Subject) engine.Text {
	return k.works(finalizerColumns)
}

// showWorkObjects prints the placement and the objects of the Works in the cluster's
// namespace that have the failing object.
func showWorkObjects(k *Subject) engine.Text {
	m := k.Manifest
	if k.Cluster == nil || m == nil || m.Name == "" {
		return engine.Text{}
	}
	return engine.Textf("%s | grep -F %s", shell.Kubectl(k.Case.Hub, placement.MemberNamespace(k.Cluster.Name), "get", "works", "-o",
		`jsonpath={range .items[*]}{.metadata.labels.kubernetes-fleet\.io/parent-placement-namespace}/{.metadata.labels.kubernetes-fleet\.io/parent-CRP}:{range .status.manifestConditions[*]} {.identifier.kind} {.identifier.namespace}/{.identifier.name};{end}{"\n"}{end}`),
		shell.Quote(m.Kind+" "+m.Namespace+"/"+m.Name+";"))
}

// showOtherPlacement shows the other placement of the object.
func showOtherPlacement(k *Subject) engine.Text {
	if k.Other.IsZero() {
		return engine.Text{}
	}
	ns, name, _ := k.Other.Raw()
	return shell.Kubectl(k.Case.Hub, ns, "describe", k.Other.Kind().Plural(), name)
}

const finalizerColumns = "custom-columns=NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers"

// works gets the Works of the placement for the cluster. Those of a namespaced
// placement carry its namespace in a label.
func (k *Subject) works(output string) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	sel := k.ofPlacement() + ",!" + placement.LabelParentPlacementNamespace
	if ns, _, _ := k.View.ID.Raw(); ns != "" {
		sel = k.ofPlacement() + "," + placement.LabelParentPlacementNamespace + "=" + ns
	}
	return shell.Kubectl(k.Case.Hub, placement.MemberNamespace(k.Cluster.Name), "get", "works", "-l", sel, "-o", output)
}

func showMember(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	if m, known := k.Case.Member(k.Cluster.Name); m == nil && known {
		return engine.Text{}
	}
	return k.fleet("describe", "memberclusters", k.Cluster.Name)
}

func showOverrides(k *Subject) engine.Text {
	return k.fleet("get", "clusterresourceoverridesnapshots,resourceoverridesnapshots", "-A",
		"-l", placement.LabelIsLatestSnapshot+"=true", "-o", "yaml")
}

// showUsedOverrides shows the override snapshots that the run uses on the cluster, or the
// first kind of them: kubectl reads one namespace at a time.
func showUsedOverrides(k *Subject) engine.Text {
	if k.Cluster == nil || len(k.Cluster.Overrides) == 0 {
		return engine.Text{}
	}
	ns, _, namespaced := strings.Cut(k.Cluster.Overrides[0], "/")
	if !namespaced {
		return k.fleet("get", "clusterresourceoverridesnapshots", k.Cluster.Overrides[0], "-o", "yaml")
	}
	args := []string{"get", "resourceoverridesnapshots"}
	for _, o := range k.Cluster.Overrides {
		if in, name, _ := strings.Cut(o, "/"); in == ns {
			args = append(args, name)
		}
	}
	return shell.Kubectl(k.Case.Hub, ns, append(args, "-o", "yaml")...)
}

func showNamespace(k *Subject) engine.Text {
	if k.Cluster == nil {
		return engine.Text{}
	}
	return k.fleet("get", "namespaces", placement.MemberNamespace(k.Cluster.Name), "-o", "yaml")
}

// showBroken shows a run that could not be decoded.
func showBroken(k *Subject) engine.Text {
	_, name, _ := k.View.ID.Raw()
	return k.hub("get", k.View.ID.Kind().Plural(), name, "-o", "yaml")
}
