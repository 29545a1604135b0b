package store

import "reflect"

// overlay applies to whole the changes from before to after and keeps everything
// else: fields that neither has, and what whole has beyond equal values. A changed
// list is replaced.
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

// complete adds the fields of the spec that a client with Go types always sends and
// that the author left out. It
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
