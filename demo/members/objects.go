package members

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// Objects are all objects of a member that can be read.
func (m *API) Objects(member string) []map[string]any {
	all := []map[string]any{m.agent(member)}
	works := m.agents.world.Works.All(func(w *placement.Work) bool { return clusterOf(w) == member })
	for _, w := range works {
		if len(w.Status.Conditions) > 0 {
			all = append(all, appliedWork(w))
		}
		all = append(all, m.agents.objectsOf(w, time.Now())...)
	}
	return all
}

// objectsOf are the objects on a member that a Work leads to: those that the
// agent applied, those that it may not take over, and what follows from them.
func (a *Agents) objectsOf(w *placement.Work, now time.Time) []map[string]any {
	var all []map[string]any
	refused := map[string]Refusal{}
	for i, no := range a.refused(w) {
		m, err := works.ParseManifest(w.Spec.Workload.Manifests[i])
		if err != nil {
			continue
		}
		refused[m.Kind] = no
		if no.There {
			there := held{content: w.Spec.Workload.Manifests[i], made: a.started, changed: a.started}
			all = append(all, there.object(w, no))
		}
	}
	for _, h := range a.holdings(w) {
		m, err := works.ParseManifest(h.content)
		if err != nil {
			continue
		}
		if m.IsDeployment() {
			all = append(all, newWorkload(w, m, h, a.podFault(w, m), now).Objects()...)
			continue
		}
		all = append(all, h.object(w, refused[m.Kind]))
	}
	return all
}

// podsOn are the pods on a member.
func (a *Agents) podsOn(member string, now time.Time) []pod {
	var all []pod
	for _, w := range a.world.Works.All(func(w *placement.Work) bool { return clusterOf(w) == member }) {
		for _, h := range a.holdings(w) {
			if m, err := works.ParseManifest(h.content); err == nil && m.IsDeployment() {
				all = append(all, newWorkload(w, m, h, a.podFault(w, m), now).pods()...)
			}
		}
	}
	return all
}

// object is what a member has, as the member's API returns it; no is why the
// agent may not change it, if it may not.
func (h held) object(w *placement.Work, no Refusal) map[string]any {
	var object map[string]any
	if err := json.Unmarshal(drifted(h.content.Raw, slices.Concat(no.Drift, no.Was)), &object); err != nil {
		return nil // the hub stores no manifest that is not an object
	}
	inner, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	inner["creationTimestamp"] = stamp(h.made)
	inner["uid"] = strings.ToLower(fmt.Sprintf("%v-%s", object["kind"], store.NameSuffix(w.Namespace, w.Name, fmt.Sprint(object["kind"]))))
	switch o := no.Owner; {
	case o != nil:
		inner["ownerReferences"] = []any{map[string]any{"apiVersion": o.APIVersion, "kind": o.Kind, "name": o.Name, "uid": string(o.UID)}}
	case !no.There:
		inner["ownerReferences"] = []any{appliedBy(w)}
	}
	return object
}

// drifted returns a manifest with the values that its object has on the member.
// A path that the manifest does not have is left out.
func drifted(raw []byte, drift []placement.PatchDetail) []byte {
	for _, d := range drift {
		patch, err := json.Marshal([]map[string]string{{"op": "replace", "path": d.Path, "value": d.ValueInMember}})
		if err != nil {
			continue
		}
		operations, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			continue
		}
		if next, err := operations.Apply(raw); err == nil {
			raw = next
		}
	}
	return raw
}

// appliedBy is the owner of what an agent has applied.
func appliedBy(w *placement.Work) map[string]any {
	return map[string]any{
		"apiVersion": placement.GroupVersion.String(), "kind": kindAppliedWork, "name": w.Name, "uid": "applied-" + string(w.UID), "blockOwnerDeletion": true,
	}
}

// starting reports whether the agent waits for a manifest of a Work that nothing
// keeps from becoming available.
func starting(w *placement.Work, m works.Manifest) bool {
	for _, c := range w.Status.ManifestConditions {
		if c.Identifier.Kind == m.Kind && c.Identifier.Name == m.Metadata.Name && c.Identifier.Namespace == m.Metadata.Namespace {
			return meta.IsStatusConditionFalse(c.Conditions, placement.BindingAvailable)
		}
	}
	return false
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
