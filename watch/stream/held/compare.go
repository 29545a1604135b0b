package held

// Comparison compares a Set with the versions that the hub has now.
type Comparison struct {
	set   *Set
	upTo  uint64
	found int
	reset bool
}

// Compare begins a comparison. The set contains all changes up to a version of the hub.
func (h *Set) Compare(known string) *Comparison { return &Comparison{set: h, upTo: number(known)} }

// Differs notes that the hub has an object in a version, and reports whether the set does not.
func (c *Comparison) Differs(namespace, name, version string) bool {
	now, was := number(version), c.set.objects[c.set.keyOf(namespace, name)].version
	if was > 0 {
		c.found++
	}
	c.reset = c.reset || now < was || was == 0 && now <= c.upTo
	return now != was
}

// IsOfSet reports whether what differs is all that has happened to the set: no object was deleted, and the
// hub has not gone back to an older state.
func (c *Comparison) IsOfSet() bool { return !c.reset && c.found == len(c.set.objects) }
