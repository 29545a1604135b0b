package subject

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// driftShown is how many changed fields a sentence names.
const driftShown = 2

// ChangedFields names the fields in which an object on the member differs from its
// manifest: "/data/a is "1", wanted "2"; and 3 more fields". It is empty when the binding does
// not list them.
func ChangedFields(o *world.ObjectChanges) engine.Text {
	var out []engine.Text
	for i := range o.Fields {
		if i == driftShown {
			break
		}
		have, want := changed(o, &o.Fields[i])
		out = append(out, engine.Textf("%s is %s, wanted %s", fieldPath(&o.Fields[i]), have, want))
	}
	if more := len(o.Fields) + o.More - len(out); more > 0 {
		out = append(out, engine.Textf("and %s", engine.Count(more, "more field")))
	}
	return engine.Join(out, "; ")
}

// RevertFields is what makes the object equal to its manifest again, in the imperative:
// "set /data/a to "2"".
func RevertFields(o *world.ObjectChanges) engine.Text {
	var out []engine.Text
	for i := range o.Fields {
		f := &o.Fields[i]
		switch _, want := changed(o, f); {
		case o.Secret():
			out = append(out, engine.Textf("restore %s", fieldPath(f)))
		case f.ValueInHub == "":
			out = append(out, engine.Textf("remove %s", fieldPath(f)))
		default:
			out = append(out, engine.Textf("set %s to %s", fieldPath(f), want))
		}
	}
	if o.More > 0 {
		out = append(out, engine.Textf("restore %s", engine.Count(o.More, "more field")))
	}
	return engine.Enumerate(out, driftShown+1)
}

// ChangeEvidence shows each changed field that is kept, and how many more there are.
func ChangeEvidence(of engine.Text, o *world.ObjectChanges) []engine.Evidence {
	var out []engine.Evidence
	for i := range o.Fields {
		have, want := changed(o, &o.Fields[i])
		out = append(out, Field(of, fieldPath(&o.Fields[i]), engine.Textf("%s on the member, %s in the manifest", have, want)))
	}
	if o.More > 0 {
		out = append(out, Field(of, engine.Lit("changed fields"), engine.Textf("and %d more", o.More)))
	}
	return out
}

func fieldPath(f *placement.PatchDetail) engine.Text {
	if f.Path == "" {
		return engine.Lit("the whole object")
	}
	return engine.Clean(f.Path)
}

// changed returns the values of a field on the member and in the manifest.
func changed(o *world.ObjectChanges, f *placement.PatchDetail) (have, want engine.Text) {
	if o.Secret() {
		return engine.Lit("masked"), engine.Lit("masked")
	}
	value := func(v string) engine.Text {
		if v == "" {
			return engine.Lit("not set")
		}
		return engine.Textf("%q", v)
	}
	return value(f.ValueInMember), value(f.ValueInHub)
}
