package members

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// Fault is what goes wrong with a placement on a member. The manifests are those
// that the hub sent: a member runs no image and holds no object that the hub does
// not name. Exactly one of Refuses and Pods is set.
type Fault struct {
	Cluster string
	// Placement is its key.
	Placement string
	// Refuses is why the agent does not apply a manifest.
	Refuses *Refusal
	// Pods is why the pods of a Deployment that was applied do not become ready.
	Pods *PodFault
}

// Refusal is why a member does not apply a manifest of a placement.
type Refusal struct {
	// Kind is the kind of the manifest; empty means all of them.
	Kind string
	// Admits is how the image begins of a Deployment that the member applies; empty for none.
	Admits string
	// Reason and Message are those of the manifest's Applied condition.
	Reason, Message string
	// Drift is what was changed on the member, when that is the reason.
	Drift []placement.PatchDetail
	// Owner is whose the object on the member is, when that is the reason.
	Owner *metav1.OwnerReference
	// There says that the member has had the object since before the placement
	// had it, with the values of Was.
	There bool
	Was   []placement.PatchDetail
	// Gone says that the member has lost what was applied before.
	Gone bool
}

// PodFault is why the pods of a Deployment with an image do not become ready.
type PodFault struct {
	// Tag is the one of the image that the fault is about.
	Tag  string
	Kind PodFaultKind
	// Message is what the registry or the member's API server answers.
	Message string
	// Log are the lines that a container writes before it ends.
	Log []string
}

// PodFaultKind is the way in which pods fail.
type PodFaultKind uint8

// The ways in which pods fail.
const (
	PodsRun    PodFaultKind = iota // they do not fail
	PodsNamed                      // the image's name cannot be parsed, which no Fault says: the name itself does
	PodsPull                       // the image cannot be pulled
	PodsCrash                      // the container ends soon after its start
	PodsDenied                     // the member's API server lets no pod be made
)

// Repair ends the faults of a member; what was not available there becomes so.
func (a *Agents) Repair(cluster string) {
	a.mu.Lock()
	a.faults = slices.DeleteFunc(a.faults, func(f Fault) bool { return f.Cluster == cluster })
	a.mu.Unlock()
	for _, w := range a.world.Works.All(func(w *placement.Work) bool { return w.Namespace == placement.MemberNamespace(cluster) }) {
		a.works.Add(store.Key{Namespace: w.Namespace, Name: w.Name}, 0)
	}
}

// faultsOf are the faults that a placement has on the member of its Work.
func (a *Agents) faultsOf(w *placement.Work) []Fault {
	of, cluster := placementOf(w), clusterOf(w)
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []Fault
	for _, f := range a.faults {
		if f.Cluster == cluster && f.Placement == of {
			found = append(found, f)
		}
	}
	return found
}

// placementOf is the key of the placement that a Work belongs to.
func placementOf(w *placement.Work) string {
	return strings.TrimPrefix(w.Labels[placement.LabelParentPlacementNamespace]+"/"+w.Labels[placement.LabelParentPlacement], "/")
}

// clusterOf is the member that a Work is for; empty when it is for none.
func clusterOf(w *placement.Work) string {
	cluster, ok := strings.CutPrefix(w.Namespace, placement.MemberNamespace(""))
	if !ok {
		return ""
	}
	return cluster
}

// refused are the positions of the manifests that the member does not apply. One
// that the member holds in the same form needs no request that could be denied.
func (a *Agents) refused(w *placement.Work) map[int]Refusal {
	found := map[int]Refusal{}
	for _, f := range a.faultsOf(w) {
		if f.Refuses == nil || f.Refuses.cured(w.Spec.ApplyStrategy) {
			continue
		}
		concerned, changed := a.concerned(w, *f.Refuses)
		for _, i := range concerned {
			if changed[i] || f.Refuses.Gone && len(changed) > 0 {
				found[i] = *f.Refuses
			}
		}
	}
	return found
}

// cured reports whether an apply strategy lets the member apply what it refuses with another one.
func (r *Refusal) cured(s *placement.ApplyStrategy) bool {
	if s == nil {
		s = &placement.ApplyStrategy{}
	}
	switch {
	case r.Reason == placement.ReasonManifestFoundDrifts:
		return s.WhenToApply != placement.ApplyIfNotDrifted
	case r.Reason == placement.ReasonManifestNotTakenOver:
		return s.WhenToTakeOver != placement.TakeOverNever
	case r.Owner != nil:
		return s.AllowCoOwnership
	}
	return false
}

// concerned are the positions of the manifests that a refusal is about, and which
// of them differ from what the member holds.
func (a *Agents) concerned(w *placement.Work, r Refusal) (all []int, changed map[int]bool) {
	changed = map[int]bool{}
	for i, content := range w.Spec.Workload.Manifests {
		m, err := works.ParseManifest(content)
		if err != nil || r.Kind != "" && m.Kind != r.Kind || r.Admits != "" && strings.HasPrefix(m.Image(), r.Admits) {
			continue
		}
		all = append(all, i)
		if h := a.holding(w, m); h == nil || !works.SameContent(h.content, content) {
			changed[i] = true
		}
	}
	return all, changed
}

// podFault is why the pods of a Deployment do not become ready; the zero fault
// when they do.
func (a *Agents) podFault(w *placement.Work, m works.Manifest) PodFault {
	image := m.Image()
	if !ValidImage.MatchString(image) {
		return PodFault{Kind: PodsNamed}
	}
	for _, f := range a.faultsOf(w) {
		if f.Pods != nil && strings.HasSuffix(image, ":"+f.Pods.Tag) {
			return *f.Pods
		}
	}
	return PodFault{}
}

// broken are the positions of the Deployments that do not become available.
func (a *Agents) broken(w *placement.Work) map[int]bool {
	found := map[int]bool{}
	for i, content := range w.Spec.Workload.Manifests {
		m, err := works.ParseManifest(content)
		if err == nil && m.IsDeployment() && a.podFault(w, m).Kind != PodsRun {
			found[i] = true
		}
	}
	return found
}

// restarts are how often a container that ends at once has been started again
// after a while, and when it was last: the pause doubles from ten seconds to five
// minutes.
func restarts(since time.Time, now time.Time) (count int, last time.Time) {
	last = since
	for pause := 10 * time.Second; ; pause = min(2*pause, 5*time.Minute) {
		next := last.Add(pause)
		if next.After(now) {
			return count, last
		}
		count, last = count+1, next
	}
}
