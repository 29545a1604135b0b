package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
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
	owners              map[string]int // by the name of the run, "" for none
	reasons             map[Cell]int   // by why a binding is not available
}

// NewTally returns an empty Tally.
func NewTally() *Tally {
	return &Tally{groups: map[tallyKey]*tallied{}, owners: map[string]string{}}
}

// Bindings is how many were added.
func (t *Tally) Bindings() int { return t.bindings }

// Add counts a binding of a placement.
func (t *Tally) Add(of engine.ID, b *placement.ResourceBinding) {
	key := tallyKey{of, b.Spec.ResourceSnapshotName}
	g := t.groups[key]
	if g == nil {
		g = &tallied{owners: map[string]int{}, reasons: map[Cell]int{}}
		t.groups[key] = g
	}
	t.bindings++
	g.bindings++
	g.owners[t.owner(b)]++
	far, early := notRolledOut(b)
	if !early {
		far = AvailableCell(b)
	}
	if far.Mark == MarkYes {
		g.available++
	} else {
		g.reasons[far]++
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

// AllOwnersPage is every binding of the hub, counted by placement and snapshot. Unread are
// bindings that could not be decoded; more says how far the read is, and why which sets could
// not be read.
func AllOwnersPage(t *Tally, unread int, more engine.Text, why []engine.Text, at time.Time) Answer {
	keys := make([]tallyKey, 0, len(t.groups))
	placements := map[engine.ID]bool{}
	for k := range t.groups {
		keys, placements[k.placement] = append(keys, k), true
	}
	slices.SortFunc(keys, func(x, y tallyKey) int {
		return cmp.Or(x.placement.Compare(y.placement), -cmp.Compare(indexOf(x.snapshot), indexOf(y.snapshot)), strings.Compare(x.snapshot, y.snapshot))
	})
	s := Section{
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
		s.Head, s.Rows = nil, []Row{TextRow(engine.RoleFaint, engine.Lit("no bindings"))}
	default:
		s.Head = nil
	}
	if !more.IsZero() {
		s.Rows = append(s.Rows, TextRow(engine.RoleBusy, more))
	}
	if unread > 0 {
		s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("%s could not be read", engine.Count(unread, "binding"))))
	}
	for _, w := range why {
		s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("not shown: %s", w)))
	}
	return Answer{At: at, Sections: []Section{s}, More: more}
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

func (k *tallyKey) row(g *tallied) Row {
	index := TextCell(engine.RoleText, engine.OrUnknown(engine.Clean(message.SnapshotIndex(k.snapshot))))
	if k.snapshot == "" {
		index = TextCell(engine.RoleFaint, engine.Lit("none"))
	}
	available := Cell{Mark: MarkYes, Role: engine.RoleGood, Text: NumberText(g.available)}
	if g.available < g.bindings {
		available.Mark, available.Role = MarkNo, engine.RoleWait
	}
	return Row{
		Key:  engine.Textf("%s %s", k.placement.Title(), k.snapshot),
		Page: OwnersQuestion{Placement: k.placement}, Object: k.placement,
		Cells: []Cell{TextCell(engine.RoleName, k.placement.Title()), index, TextCell(engine.RoleText, NumberText(g.bindings)), available, g.owner(), g.notAvailable()},
	}
}

// owner names the runs that wrote the bindings, those with most of them first.
func (g *tallied) owner() Cell {
	names := counted(g.owners, strings.Compare)
	if len(names) == 1 && names[0] == "" {
		return TextCell(engine.RoleFaint, engine.Lit("no run"))
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
	return TextCell(engine.RoleText, engine.Enumerate(parts, mostNamed))
}

// notAvailable says why bindings are not available.
func (g *tallied) notAvailable() Cell {
	whys := counted(g.reasons, func(x, y Cell) int { return cmp.Compare(x.Text.String(), y.Text.String()) })
	if len(whys) == 0 {
		return TextCell(engine.RoleFaint, engine.Lit("-"))
	}
	parts := make([]engine.Text, len(whys))
	for i, c := range whys {
		parts[i] = engine.Textf("%d %s", g.reasons[c], c.Text)
	}
	out := whys[0]
	out.Text = engine.Enumerate(parts, mostNamed)
	return out
}

// counted are the keys of a count, the highest first.
func counted[K comparable](of map[K]int, before func(x, y K) int) []K {
	keys := make([]K, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y K) int { return cmp.Or(of[y]-of[x], before(x, y)) })
	return keys
}
