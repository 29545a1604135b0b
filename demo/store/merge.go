package store

import "reflect"

// overlay makes in whole the changes that lead from before to after, and leaves
// everything else as it is: fields that neither of the two knows, and values
// that both have alike although whole says more. Lists are replaced as a whole.
func overlay(whole, before, after map[string]any) {
	for name, value := range after {
		was, had := before[name]
		if had && reflect.DeepEqual(was, value) {
			continue
		}
		inner, isMap := value.(map[string]any)
		target, targetIsMap := whole[name].(map[string]any)
		if !isMap || !targetIsMap {
			whole[name] = value
			continue
		}
		innerBefore, ok := was.(map[string]any)
		if !ok {
			innerBefore = map[string]any{}
		}
		overlay(target, innerBefore, inner)
	}
	for name := range before {
		if _, kept := after[name]; !kept {
			delete(whole, name)
		}
	}
}

// complete fills in what a client with Go types always sends: fields of the
// spec that its author left out and that are not left out when empty. It
// changes the generation of a run that was made without a snapshot index, as
// upstream's first write of that run does (docs/kubefleet.md#run).
func complete(whole, object map[string]any) {
	spec, ok := whole["spec"].(map[string]any)
	typed, known := object["spec"].(map[string]any)
	if !ok || !known {
		return
	}
	for name, value := range typed {
		if _, there := spec[name]; !there {
			spec[name] = value
		}
	}
}
