package keymap

import (
	"fmt"
	"slices"
)

// Names returns the names of the actions that have a key, in the order of the help page.
func Names() (out []string) {
	for _, e := range Default().entries {
		if name := e.Action.Name(); len(e.keys) > 0 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Bind returns the Map with other keys for an action, by its name. The error says why the
// action cannot have them; keys that another action has are found by Collisions.
func (m Map) Bind(name string, written []string) (Map, error) {
	entries := slices.Clone(m.entries)
	at := slices.IndexFunc(entries, func(e Entry) bool { return len(e.keys) > 0 && e.Action.Name() == name })
	if at < 0 {
		return m, fmt.Errorf("unknown action %q", name)
	}
	if len(written) == 0 {
		return m, fmt.Errorf("%s needs a key", name)
	}
	a := entries[at].Action
	keys := make([]string, len(written))
	for i, w := range written {
		k, err := parse(w)
		if err != nil {
			return m, err
		}
		if why := a.unfit(k); why != "" {
			return m, fmt.Errorf("%s cannot use key %q: %s", name, w, why)
		}
		if slices.Contains(keys[:i], k) {
			return m, fmt.Errorf("%s has the key %q twice", name, w)
		}
		keys[i] = k
	}
	for i := range entries {
		if entries[i].Action == a {
			entries[i].keys = keys
		}
	}
	return New(entries), nil
}

// Yield returns the Map without the keys of the named actions on other actions of the same screens,
// unless that would leave an action without a key there: such keys are found by Collisions. The digits
// of the saved views are kept, too: each has a view of its own.
func (m Map) Yield(names []string) Map {
	var entries []Entry
	for _, other := range m.entries {
		rest := other
		for _, s := range Scopes() {
			if other.In&s == 0 || other.Action == NthView || slices.Contains(names, other.Action.Name()) {
				continue
			}
			kept := slices.DeleteFunc(slices.Clone(other.keys), func(k string) bool {
				return slices.ContainsFunc(m.In(s), func(e Entry) bool {
					return slices.Contains(names, e.Action.Name()) && slices.Contains(e.keys, k)
				})
			})
			if len(kept) > 0 && len(kept) < len(other.keys) {
				fewer := other
				fewer.In, fewer.keys = s, kept
				entries, rest.In = append(entries, fewer), rest.In&^s
			}
		}
		if rest.In != 0 {
			entries = append(entries, rest)
		}
	}
	return New(entries)
}

// unfit returns why an action cannot have a key; empty when it can.
func (a Action) unfit(k string) string {
	upper, lower := len(k) == 1 && k >= "A" && k <= "Z", len(k) == 1 && k >= "a" && k <= "z"
	switch {
	case a.Writes() && !upper:
		return "an action that writes needs a single upper-case letter"
	case a == DialogYes && !lower:
		return "only a single lower-case letter may confirm"
	case a == NthView && (len(k) != 1 || k < "1" || k > "9"):
		return "only the digits 1 to 9 name a view"
	case a.whileTyping() && typed(k):
		return "the key would type a character into the input"
	}
	return ""
}

// Writes reports whether an action opens the dialog of a write.
func (a Action) Writes() bool { return a >= Approve && a <= Delete || a == DialogRetire }

// whileTyping reports whether an action has its key where text is typed, too.
func (a Action) whileTyping() bool {
	switch a {
	case Abort, FilterKeep, FilterDrop, FilterOlder, FilterNewer, DialogCancel, DialogEnter, DialogNext, DialogPrev, DialogCopy, DialogDown, DialogUp:
		return true
	}
	return a >= CommandRun && a <= CommandPrev
}

// Collision is a key that two actions have in one scope.
type Collision struct {
	Key           string
	First, Second Action
	In            Scope
}

// String says it in a sentence.
func (c Collision) String() string {
	return fmt.Sprintf("key %q is bound to %s and to %s in the %s", spell(c.Key), c.First.Name(), c.Second.Name(), c.In)
}

// Collisions returns the keys that two actions have in one scope, each pair once.
func (m Map) Collisions() (out []Collision) {
	for _, s := range Scopes() {
		owner := map[string]Action{}
		for _, e := range m.In(s) {
			for _, k := range e.keys {
				first, taken := owner[k]
				if !taken {
					owner[k] = e.Action
					continue
				}
				if !slices.ContainsFunc(out, func(c Collision) bool { return c.Key == k && c.First == first && c.Second == e.Action }) {
					out = append(out, Collision{k, first, e.Action, s})
				}
			}
		}
	}
	return out
}
