package fleet

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
