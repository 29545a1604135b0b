package world

import placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"

// Bounds of what is kept of the fields in which objects differ: a diagnosis shows a few,
// the page of the cluster reads all.
const (
	changedObjects = 5
	changedFields  = 5
	changedValue   = 200 // bytes
)

// ObjectChanges are the fields in which an object on a member differs from its manifest.
type ObjectChanges struct {
	Object placement.ResourceIdentifier
	Fields []placement.PatchDetail
	// More is how many fields are left out of Fields.
	More int
}

// Secret reports whether the values of the fields may not be shown.
func (o *ObjectChanges) Secret() bool { return o.Object.Kind == "Secret" }

// ChangesOf keeps of all drifted and differing objects of a binding those that failed to be
// applied. The values of a Secret are not kept.
func ChangesOf(failed []placement.FailedResourcePlacement, drifted []placement.DriftedResourcePlacement, diffed []placement.DiffedResourcePlacement) []ObjectChanges {
	var out []ObjectChanges
	keep := func(id *placement.ResourceIdentifier, fields []placement.PatchDetail) {
		if len(fields) == 0 || len(out) == changedObjects || ChangesIn(out, id) != nil {
			return
		}
		for i := range failed {
			if sameObject(&failed[i].ResourceIdentifier, id) {
				out = append(out, bounded(*id, fields))
				return
			}
		}
	}
	for i := range drifted {
		keep(&drifted[i].ResourceIdentifier, drifted[i].ObservedDrifts)
	}
	for i := range diffed {
		keep(&diffed[i].ResourceIdentifier, diffed[i].ObservedDiffs)
	}
	return out
}

// ChangesIn returns the changes of one object, nil when there are none.
func ChangesIn(all []ObjectChanges, id *placement.ResourceIdentifier) *ObjectChanges {
	for i := range all {
		if sameObject(&all[i].Object, id) {
			return &all[i]
		}
	}
	return nil
}

func bounded(id placement.ResourceIdentifier, fields []placement.PatchDetail) ObjectChanges {
	o := ObjectChanges{Object: id}
	for i := range fields {
		if i == changedFields {
			o.More = len(fields) - i
			break
		}
		f := placement.PatchDetail{Path: short(fields[i].Path)}
		if !o.Secret() {
			f.ValueInMember, f.ValueInHub = short(fields[i].ValueInMember), short(fields[i].ValueInHub)
		}
		o.Fields = append(o.Fields, f)
	}
	return o
}

func short(s string) string {
	if len(s) > changedValue {
		return s[:changedValue] + "…"
	}
	return s
}

func sameObject(a, b *placement.ResourceIdentifier) bool {
	x, y := *a, *b
	x.Envelope, y.Envelope = nil, nil
	return x == y && (a.Envelope == nil) == (b.Envelope == nil) && (a.Envelope == nil || *a.Envelope == *b.Envelope)
}
