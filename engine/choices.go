package engine

import (
	"slices"
	"sort"
	"time"
)

// Choices are what a clone can be made of, as the hub has it. The zero Choices know nothing.
type Choices struct {
	// Placements and Strategies are those of the run's scope, by name.
	Placements, Strategies []Option
	// Snapshots are the resource snapshots of the placement that was asked about, newest first.
	Snapshots []Option
	// Gaps are what could not be read; the list of it is nil then.
	Gaps []Gap
}

// Option is one thing that a clone can be made of.
type Option struct {
	// Name is what the run says: a name, or the index of a snapshot.
	Name Text
	// About tells it from the others.
	About Text
	// Since is when it was made.
	Since time.Time
	// Odd is set when the controller refuses a run of it, as things are.
	Odd bool
	// Latest marks the newest snapshot; Clusters is how many have it.
	Latest   bool
	Clusters int
}

// Newest returns the index of the newest snapshot; empty when there is none.
func (c *Choices) Newest() Text {
	for i := range c.Snapshots {
		if c.Snapshots[i].Latest {
			return c.Snapshots[i].Name
		}
	}
	return Text{}
}

// Against lists the snapshots that one is worth comparing with: those that
// clusters have, the most of them first, then the one that a run used. It
// leaves out the snapshot itself and what is not there any more.
func (c *Choices) Against(index, used Text) []Text {
	have := slices.DeleteFunc(slices.Clone(c.Snapshots), func(o Option) bool {
		return o.Name == index || o.Clusters == 0 && o.Name != used
	})
	sort.SliceStable(have, func(i, j int) bool { return have[j].Clusters < have[i].Clusters })
	out := make([]Text, len(have))
	for i := range have {
		out[i] = have[i].Name
	}
	return out
}

// Lacks refuses a choice that names what is not there, as far as is known; an empty name is there.
func (c *Choices) Lacks(place, strategy, index Text) Refusal {
	for _, x := range []struct {
		all  []Option
		name Text
		none Text
		hint func(meant string, names []string) Text
	}{
		{c.Placements, place, Textf("placement %s not found", place), existing},
		{c.Strategies, strategy, Textf("strategy %s not found", strategy), existing},
		{c.Snapshots, index, Textf("snapshot %s not found for the placement", index), IndexHint},
	} {
		if x.all == nil || x.name.IsZero() || slices.ContainsFunc(x.all, func(o Option) bool { return o.Name == x.name }) {
			continue
		}
		names := make([]string, len(x.all))
		for i := range x.all {
			names[i] = x.all[i].Name.s
		}
		return Refusal{Why: x.none, Hint: x.hint(x.name.s, names)}
	}
	return Refusal{}
}

// existing says what could be named instead of a name that does not exist.
func existing(meant string, names []string) Text {
	if len(names) == 0 {
		return Lit("None exists: create one first.")
	}
	return Textf("Use one that exists: %s.", Nearest(meant, names))
}
