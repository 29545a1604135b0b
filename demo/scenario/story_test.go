package scenario

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/members"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// onMember is what a member has of one namespace, decoded.
type onMember struct {
	Kind     string
	Metadata struct {
		Name, Namespace   string
		CreationTimestamp time.Time
		OwnerReferences   []metav1.OwnerReference
	}
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct{ Containers []struct{ Image string } }
		}
		Containers []struct{ Image string }
	}
	Status struct {
		Phase             string
		Replicas          int
		UpdatedReplicas   int
		AvailableReplicas int
		Conditions        []metav1.Condition
		ContainerStatuses []struct {
			Ready bool
			Image string
			State map[string]struct{ Reason, Message string }
		}
	}
	Reason, Message               string
	FirstTimestamp, LastTimestamp time.Time
	InvolvedObject                struct{ Kind, Name string }
}

// member reads all that a member has of a namespace.
func (f playing) member(t *testing.T, cluster, namespace string) []onMember {
	t.Helper()
	var all []onMember
	for _, o := range f.memberAPI.Objects(cluster) {
		if u := (&unstructured.Unstructured{Object: o}); u.GetNamespace() != namespace {
			continue
		}
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var m onMember
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("decode %s: %v", raw, err)
		}
		all = append(all, m)
	}
	return all
}

func ofKind(all []onMember, kind, prefix string) []onMember {
	var found []onMember
	for _, o := range all {
		if o.Kind == kind && (o.Metadata.Name == prefix || strings.HasPrefix(o.Metadata.Name, prefix+"-")) {
			found = append(found, o)
		}
	}
	return found
}

// story says where the objects of a placement on one cluster contradict each
// other: snapshot, overrides, Work, binding, and what the member has.
func (f playing) story(t *testing.T, p Placement, cluster string) string {
	t.Helper()
	w := f.world
	var b *placement.ResourceBinding
	for _, one := range w.Bindings.Of(store.Key{Namespace: p.Namespace, Name: p.Name}) {
		if one.Spec.TargetCluster == cluster {
			b = one
		}
	}
	if b == nil {
		return "no binding"
	}
	found := w.Works.Of(store.Key{Namespace: placement.MemberNamespace(cluster), Name: b.Name})
	if len(found) != 1 {
		return fmt.Sprintf("%d Works", len(found))
	}
	work := found[0]
	want, err := f.generator.Manifests(b)
	overridden := meta.FindStatusCondition(b.Status.Conditions, placement.BindingOverridden)
	switch {
	case err != nil && (overridden == nil || overridden.Status != metav1.ConditionFalse || !strings.HasSuffix(overridden.Message, err.Error())):
		return fmt.Sprintf("the overrides fail (%v), the binding %s", err, describe(b.Status.Conditions))
	case err == nil && !slices.EqualFunc(want, work.Spec.Workload.Manifests, works.SameContent):
		return "the Work does not carry the snapshot with the binding's overrides"
	}
	if f.silent(cluster) {
		return ""
	}
	if failed := works.FailedPlacements(found); err == nil && !equality.Semantic.DeepEqual(failed, b.Status.FailedPlacements) {
		return fmt.Sprintf("the Work fails %v, the binding has %v", failed, b.Status.FailedPlacements)
	}
	if drifted := works.DriftedPlacements(found); err == nil && !equality.Semantic.DeepEqual(drifted, b.Status.DriftedPlacements) {
		return fmt.Sprintf("the Work drifted %v, the binding has %v", drifted, b.Status.DriftedPlacements)
	}
	for i, content := range work.Spec.Workload.Manifests {
		m, err := works.ParseManifest(content)
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(work.Status.ManifestConditions) || work.Status.ManifestConditions[i].Identifier != m.Identifier(i) {
			return fmt.Sprintf("the Work says nothing of its %s", m.Kind)
		}
		conditions := work.Status.ManifestConditions[i].Conditions
		if said := meta.FindStatusCondition(conditions, placement.BindingApplied); said != nil && said.Status == metav1.ConditionFalse {
			if wrong := f.refusalFits(t, cluster, m, *said); wrong != "" {
				return wrong
			}
		}
		if m.IsDeployment() {
			if wrong := f.podsFit(t, cluster, m, conditions); wrong != "" {
				return wrong
			}
		}
	}
	return f.timesFit(t, p, b, work)
}

var (
	usedDeployments = regexp.MustCompile(`used: count/deployments\.apps=(\d+)`)
	unknownKind     = regexp.MustCompile(`no matches for kind "([^"]+)" in version "([^"]+)"`)
	objectInText    = regexp.MustCompile(`(?:deployments\.apps|Deployment\.apps) "([^"]+)"`)
	lostNamespace   = regexp.MustCompile(`namespaces "([^"]+)" not found`)
)

// refusalFits compares the text of a manifest that was not applied with the
// manifest and the member.
func (f playing) refusalFits(t *testing.T, cluster string, m works.Manifest, said metav1.Condition) string {
	t.Helper()
	all := f.member(t, cluster, m.Metadata.Namespace)
	there := slices.IndexFunc(all, func(o onMember) bool { return o.Kind == m.Kind && o.Metadata.Name == m.Metadata.Name })
	if found := usedDeployments.FindStringSubmatch(said.Message); found != nil {
		if used := len(ofKind(all, kindDeployment, m.Metadata.Name)); found[1] != strconv.Itoa(used) {
			return fmt.Sprintf("%d Deployments on the member, but: %s", used, said.Message)
		}
	}
	if found := unknownKind.FindStringSubmatch(said.Message); found != nil && (found[1] != m.Kind || found[2] != m.APIVersion) {
		return fmt.Sprintf("%s %s, but: %s", m.APIVersion, m.Kind, said.Message)
	}
	if found := objectInText.FindStringSubmatch(said.Message); found != nil && (found[1] != m.Metadata.Name || m.Kind != kindDeployment) {
		return fmt.Sprintf("%s %s, but: %s", m.Kind, m.Metadata.Name, said.Message)
	}
	if found := lostNamespace.FindStringSubmatch(said.Message); found != nil && (found[1] != m.Metadata.Namespace || len(all) > 0) {
		return fmt.Sprintf("%d objects in namespace %s of the member, but: %s", len(all), m.Metadata.Namespace, said.Message)
	}
	exists := there >= 0
	switch {
	case strings.Contains(said.Message, "failed to create") && exists:
		return fmt.Sprintf("%s %s is on the member, but: %s", m.Kind, m.Metadata.Name, said.Message)
	case (strings.Contains(said.Message, "failed to patch") || strings.Contains(said.Message, "immutable") ||
		strings.Contains(said.Message, "already owned") || strings.Contains(said.Message, "takeover") || strings.Contains(said.Message, "drifts")) && !exists:
		return fmt.Sprintf("%s %s is not on the member, but: %s", m.Kind, m.Metadata.Name, said.Message)
	case strings.Contains(said.Message, "some other source") && len(all[there].Metadata.OwnerReferences) == 0:
		return "the object on the member has no owner, but: " + said.Message
	case strings.Contains(said.Message, "some other source") && all[there].Data["RELEASE"] == newTag:
		return "the object on the member has the new content already, but: " + said.Message
	}
	return ""
}

// podsFit compares a Deployment of a Work with the one on the member and its
// pods.
func (f playing) podsFit(t *testing.T, cluster string, m works.Manifest, conditions []metav1.Condition) string {
	t.Helper()
	all := f.member(t, cluster, m.Metadata.Namespace)
	name := m.Metadata.Name
	deployments, pods := ofKind(all, kindDeployment, name), ofKind(all, "Pod", name)
	updated, ready := 0, 0
	var failing []onMember
	for _, p := range pods {
		c := p.Status.ContainerStatuses[0]
		if c.Image != p.Spec.Containers[0].Image {
			return fmt.Sprintf("pod %s has images %s and %s", p.Metadata.Name, c.Image, p.Spec.Containers[0].Image)
		}
		if c.Image == m.Image() {
			updated++
		}
		if c.Ready {
			ready++
		} else {
			failing = append(failing, p)
		}
		if reason := c.State["waiting"].Reason; !members.ValidImage.MatchString(c.Image) != (reason == "InvalidImageName") {
			return fmt.Sprintf("pod %s with image %s is %s", p.Metadata.Name, c.Image, reason)
		}
	}
	for _, e := range all {
		if e.Kind == "Event" && strings.HasPrefix(e.InvolvedObject.Name, name+"-") && !slices.ContainsFunc(all, func(o onMember) bool {
			return o.Kind == e.InvolvedObject.Kind && o.Metadata.Name == e.InvolvedObject.Name
		}) {
			return fmt.Sprintf("an event about %s %s, which is not there", e.InvolvedObject.Kind, e.InvolvedObject.Name)
		}
	}
	applied := meta.IsStatusConditionTrue(conditions, placement.BindingApplied)
	switch {
	case !applied && len(failing) > 0:
		return fmt.Sprintf("the Deployment is not applied, but pod %s is not ready", failing[0].Metadata.Name)
	case !applied && len(deployments) > 0 && deployments[0].Spec.Template.Spec.Containers[0].Image == m.Image():
		return "the Deployment is not applied, but the member has its image"
	case !applied:
		return ""
	case len(deployments) != 1 || deployments[0].Spec.Template.Spec.Containers[0].Image != m.Image():
		return fmt.Sprintf("the member does not have the Deployment with image %s", m.Image())
	}
	d := deployments[0]
	if d.Status.Replicas != len(pods) || d.Status.UpdatedReplicas != updated || d.Status.AvailableReplicas != ready {
		return fmt.Sprintf("%d pods, %d updated, %d ready, but the Deployment has %+v", len(pods), updated, ready, d.Status)
	}
	denied := meta.FindStatusCondition(d.Status.Conditions, "ReplicaFailure")
	if meta.IsStatusConditionTrue(conditions, placement.BindingAvailable) {
		if ready != members.Replicas || updated != members.Replicas || denied != nil {
			return fmt.Sprintf("the Work is available, but %d of %d pods are ready, ReplicaFailure %v", ready, len(pods), denied)
		}
		return ""
	}
	switch {
	case denied == nil && len(failing) == 0:
		return "the Work is not available, but no pod fails"
	case denied != nil && (len(failing) > 0 || !slices.ContainsFunc(all, func(e onMember) bool {
		return e.Kind == "Event" && e.Reason == "FailedCreate" && e.Message == "Error creating: "+denied.Message
	})):
		return "pods are denied, but pods fail or no event says it"
	}
	return ""
}

// timesFit says which of two steps of a rollout comes before the one that leads
// to it.
func (f playing) timesFit(t *testing.T, p Placement, b *placement.ResourceBinding, work *placement.Work) string {
	t.Helper()
	started := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
	if started == nil || work.Labels[placement.LabelParentResourceSnapshotIndex] == strconv.Itoa(p.At) {
		return ""
	}
	// Stored times have no fractions.
	rollout, now := started.LastTransitionTime.Time, time.Now()
	for _, o := range f.member(t, b.Spec.TargetCluster, appNamespace(p)) {
		switch {
		case o.Kind == "Event" && (o.LastTimestamp.Before(o.FirstTimestamp) || o.LastTimestamp.After(now)):
			return fmt.Sprintf("event %s from %v to %v", o.Reason, o.FirstTimestamp, o.LastTimestamp)
		case o.Metadata.CreationTimestamp.After(now):
			return fmt.Sprintf("%s %s was made at %v", o.Kind, o.Metadata.Name, o.Metadata.CreationTimestamp)
		case o.Kind == "Pod" && strings.HasPrefix(o.Metadata.Name, objectName(p)+"-") && !o.Status.ContainerStatuses[0].Ready && o.Metadata.CreationTimestamp.Before(rollout):
			return fmt.Sprintf("pod %s is older than the rollout of %v", o.Metadata.Name, rollout)
		}
	}
	for _, m := range work.Status.ManifestConditions {
		for _, c := range m.Conditions {
			if c.Status == metav1.ConditionFalse && c.LastTransitionTime.Time.Before(rollout) {
				return fmt.Sprintf("%s %s is from %v, before the rollout of %v", m.Identifier.Kind, c.Type, c.LastTransitionTime, rollout)
			}
		}
	}
	return ""
}

// failingPods are those of a placement on a cluster, by the reason that they
// give.
func (f playing) failingPods(t *testing.T, p Placement, cluster string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, o := range ofKind(f.member(t, cluster, appNamespace(p)), "Pod", objectName(p)) {
		if !o.Status.ContainerStatuses[0].Ready {
			found[o.Status.ContainerStatuses[0].State["waiting"].Reason]++
		}
	}
	return found
}

// incidentStory says where an incident is told in two ways.
func (f playing) incidentStory(t *testing.T, i incident, namespace string) string {
	t.Helper()
	p := i.placement(namespace)
	for n, cluster := range p.Clusters {
		if wrong := f.story(t, p, cluster); wrong != "" {
			return cluster + ": " + wrong
		}
		want := ""
		if n == 0 {
			switch {
			case i.tag != "" && i.cause != "preempted":
				want = "InvalidImageName"
			case i.pods != nil && i.pods.Kind == members.PodsPull:
				want = "ImagePullBackOff"
			case i.pods != nil && i.pods.Kind == members.PodsCrash:
				want = "CrashLoopBackOff"
			}
		}
		failing := f.failingPods(t, p, cluster)
		if want == "" && len(failing) > 0 || want != "" && (len(failing) != 1 || failing[want] == 0) {
			return fmt.Sprintf("%s: pods fail with %v, want %q", cluster, failing, want)
		}
	}
	return ""
}
