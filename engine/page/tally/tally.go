// Package tally counts every binding of a hub by placement and snapshot, for the page that lists
// them.
package tally

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Tally counts bindings by placement and snapshot. It keeps none of them: its size is that
// of the page.
type Tally struct {
	groups   map[tallyKey]*tallied
	bindings int
	// owners are the runs that messages of RolloutStarted name, which many bindings share.
	owners map[string]string
}

type tallyKey struct {
	placement engine.ID
	snapshot  string // spec.resourceSnapshotName
}

// tallied is what is counted of the bindings with one snapshot.
type tallied struct {
	bindings, available int
	owners              map[string]int    // by the name of the run, "" for none
	reasons             map[page.Cell]int // by why a binding is not available
	clusters            map[page.Cell][]string
}

// mostClusters is how many clusters with the same reason are named.
const mostClusters = 12

// New returns an empty Tally.
func New() *Tally {
	return &Tally{groups: map[tallyKey]*tallied{}, owners: map[string]string{}}
}

// Bindings is how many were added.
func (t *Tally) Bindings() int { return t.bindings }

// Add counts a binding of a placement.
func (t *Tally) Add(of engine.ID, b *placement.ResourceBinding) {
	key := tallyKey{of, b.Spec.ResourceSnapshotName}
	g := t.groups[key]
	if g == nil {
		g = &tallied{owners: map[string]int{}, reasons: map[page.Cell]int{}, clusters: map[page.Cell][]string{}}
		t.groups[key] = g
	}
	t.bindings++
	g.bindings++
	g.owners[t.owner(b)]++
	far, early := page.NotRolledOut(b)
	if !early {
		far = page.AvailableCell(b)
	}
	if far.Mark == page.MarkYes {
		g.available++
	} else {
		if g.reasons[far]++; g.reasons[far] <= mostClusters {
			g.clusters[far] = append(g.clusters[far], b.Spec.TargetCluster)
		}
	}
}

// owner is the name of the run that wrote the binding, "" for none.
func (t *Tally) owner(b *placement.ResourceBinding) string {
	c := engine.ReadCondition(b.Status.Conditions, placement.BindingRolloutStarted)
	if c.Truth != engine.TruthYes {
		return ""
	}
	name, known := t.owners[c.Message]
	if !known {
		name, _ = message.RolloutBy(c.Message)
		name = name[strings.LastIndexByte(name, '/')+1:] // some flavours write the namespace too
		t.owners[c.Message] = name
	}
	return name
}

// Page is every binding of the hub, counted by placement and snapshot. Unread are
// bindings that could not be decoded; more says how far the read is, and why which sets could
// not be read.
func Page(t *Tally, unread int, more engine.Text, why []engine.Text, at time.Time) page.Answer {
	keys := make([]tallyKey, 0, len(t.groups))
	placements := map[engine.ID]bool{}
	for k := range t.groups {
		keys, placements[k.placement] = append(keys, k), true
	}
	sort.Slice(keys, func(i, j int) bool {
		return cmp.Or(keys[i].placement.Compare(keys[j].placement), -cmp.Compare(indexOf(keys[i].snapshot), indexOf(keys[j].snapshot)), strings.Compare(keys[i].snapshot, keys[j].snapshot)) < 0
	})
	s := page.Section{
		Title: engine.Lit("bindings by placement and snapshot"),
		Note:  engine.Textf("%s of %s", engine.Count(t.bindings, "binding"), engine.Count(len(placements), "placement")),
		Head: []engine.Text{
			engine.Lit("PLACEMENT"), engine.Lit("SNAPSHOT"), engine.Lit("CLUSTERS"), engine.Lit("AVAILABLE"), engine.Lit("OWNER"), engine.Lit("NOT AVAILABLE"),
		},
	}
	for _, k := range keys {
		s.Rows = append(s.Rows, k.row(t.groups[k]))
	}
	switch {
	case len(keys) > 0:
	case more.IsZero():
		s.Head, s.Rows = nil, []page.Row{page.TextRow(engine.RoleFaint, engine.Lit("no bindings"))}
	default:
		s.Head = nil
	}
	if !more.IsZero() {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleBusy, more))
	}
	if unread > 0 {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleWait, engine.Textf("%s could not be read", engine.Count(unread, "binding"))))
	}
	for _, w := range why {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleWait, engine.Textf("not shown: %s", w)))
	}
	return page.Answer{At: at, Sections: []page.Section{s}, More: more}
}

// indexOf is the number of a snapshot, -1 without one.
func indexOf(snapshot string) int {
	n, err := strconv.Atoi(message.SnapshotIndex(snapshot))
	if err != nil {
		return -1
	}
	return n
}

// mostNamed is how many reasons, or owners, a row names.
const mostNamed = 2

func (k *tallyKey) row(g *tallied) page.Row {
	index := page.TextCell(engine.RoleText, engine.OrUnknown(engine.Clean(message.SnapshotIndex(k.snapshot))))
	if k.snapshot == "" {
		index = page.TextCell(engine.RoleFaint, engine.Lit("none"))
	}
	available := page.Cell{Mark: page.MarkYes, Role: engine.RoleGood, Text: page.NumberText(g.available)}
	if g.available < g.bindings {
		available.Mark, available.Role = page.MarkNo, engine.RoleWait
	}
	r := page.Row{
		Key:  engine.Textf("%s %s", k.placement.Title(), k.snapshot),
		Page: page.OwnersQuestion{Placement: k.placement}, Object: k.placement, Aside: g.aside(),
		Cells: []page.Cell{page.TextCell(engine.RoleName, k.placement.Title()), index, page.TextCell(engine.RoleText, page.NumberText(g.bindings)), available, g.owner(), g.notAvailable()},
	}
	if name := slices.Collect(maps.Keys(g.owners)); len(name) == 1 && name[0] != "" {
		kind := k.placement.Kind().InScope(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun)
		r.Run = k.placement.Beside(kind, k.placement.RawNamespace(), name[0], "")
	}
	return r
}

// owner names the runs that wrote the bindings, those with most of them first.
func (g *tallied) owner() page.Cell {
	names := counted(g.owners, strings.Compare)
	if len(names) == 1 && names[0] == "" {
		return page.TextCell(engine.RoleFaint, engine.Lit("no run"))
	}
	parts := make([]engine.Text, len(names))
	for i, name := range names {
		parts[i] = engine.Clean(name)
		if name == "" {
			parts[i] = engine.Lit("no run")
		}
		if len(names) > 1 {
			parts[i] = engine.Textf("%s: %d", parts[i], g.owners[name])
		}
	}
	return page.TextCell(engine.RoleText, engine.Enumerate(parts, mostNamed))
}

// notAvailable says why bindings are not available.
func (g *tallied) notAvailable() page.Cell {
	whys := counted(g.reasons, byText)
	if len(whys) == 0 {
		return page.TextCell(engine.RoleFaint, engine.Lit("-"))
	}
	parts := make([]engine.Text, len(whys))
	for i, c := range whys {
		parts[i] = engine.Textf("%d %s", g.reasons[c], c.Text)
	}
	out := whys[0]
	out.Text = engine.Enumerate(parts, mostNamed)
	return out
}

// aside names the clusters that are not available, by why, and the owners with their bindings.
func (g *tallied) aside() []engine.Text {
	out := []engine.Text{engine.Textf("%d of %s available.", g.available, engine.Count(g.bindings, "binding"))}
	for _, c := range counted(g.reasons, byText) {
		names := make([]engine.Text, len(g.clusters[c]))
		for i, name := range g.clusters[c] {
			names[i] = engine.Clean(name)
		}
		all := engine.Join(names, ", ")
		if more := g.reasons[c] - len(names); more > 0 {
			all = engine.Textf("%s and %d more", all, more)
		}
		out = append(out, engine.Textf("%s: %s.", c.Text, all))
	}
	for _, name := range counted(g.owners, strings.Compare) {
		n := g.owners[name]
		if name == "" {
			name = "no run"
		}
		out = append(out, engine.Textf("Written by %s: %d.", engine.Clean(name), n))
	}
	return out
}

func byText(x, y page.Cell) int { return cmp.Compare(x.Text.String(), y.Text.String()) }

// counted are the keys of a count, the highest first.
func counted[K comparable](of map[K]int, before func(x, y K) int) []K {
	keys := make([]K, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return cmp.Or(of[keys[j]]-of[keys[i]], before(keys[i], keys[j])) < 0 })
	return keys
}
