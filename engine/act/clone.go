package act

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/shell"
)

// nameLimit is the longest name a run may have (docs/kubefleet.md#run).
const nameLimit = 63

// Choice is what a person chose about a clone. The zero Choice takes a free
// name, the old run's placement and strategy, the newest resources and state
// Initialize.
type Choice struct {
	// Name of the new run; empty for a free one made from the old name.
	Name engine.Text
	// Placement and Strategy, where not empty, take the place of the old run's.
	Placement, Strategy engine.Text
	// Snapshot pins the new run to the resource snapshot of that index; when it
	// is empty the hub takes the newest, or makes one of what is selected then.
	Snapshot engine.Text
	// Start creates it in state Run, so that it goes as soon as it is
	// initialized.
	Start bool
}

// ProposeClone is Propose for ActClone, with what the person chose. Its words
// hold no time.
func ProposeClone(s *engine.Snapshot, run engine.ID, c Choice) (Intent, engine.Refusal) {
	v, r := proposable(s, engine.ActClone, run)
	if r.Refused() {
		return Intent{}, r
	}
	i, r := proposeClone(s, v, c)
	return protect(s, i), r
}

// made is the spec of a run that a clone creates, raw.
type made struct {
	name, placement, strategy, index, state string
}

func proposeClone(s *engine.Snapshot, v *engine.RunView, c Choice) (Intent, engine.Refusal) {
	m := made{name: c.Name.String(), placement: v.PlacementRaw.Value(), strategy: v.Strategy.String(), state: string(placement.StateInitialize)}
	like := v.ID // the run whose name the new one goes on with
	if v.Word == engine.WordNoRun {
		m.placement = v.ID.RawName()
		like = v.ID.Beside(engine.RunKind(v.ID.Kind()), v.ID.RawNamespace(), m.placement+"-r0", "")
	}
	if other := c.Placement.String(); v.Word != engine.WordNoRun && other != "" && other != m.placement { // the name says what it rolls out
		like = v.ID.Beside(v.ID.Kind(), v.ID.RawNamespace(), other+"-r0", "")
	}
	if m.name == "" {
		m.name = freeName(s, like)
	}
	if c.Start {
		m.state = string(placement.StateRun)
	}
	if stateless(s, v) {
		m.state = ""
	}
	m.placement, m.strategy = cmp.Or(c.Placement.String(), m.placement), cmp.Or(c.Strategy.String(), m.strategy)
	m.index = c.Snapshot.String()
	if r := c.Malformed(); r.Refused() {
		return Intent{}, r
	}
	if m.strategy == "" {
		return Intent{}, engine.Refusal{Why: engine.Lit("a new run needs a strategy"), Hint: engine.Lit("name the strategy of the new run"), Choose: true}
	}
	if r := namable(s, like, m.name); r.Refused() {
		return Intent{}, r
	}
	i := Intent{Act: engine.ActClone, Irreversible: true, create: m}
	i.seen(v)
	i.wantState = m.state
	i.Target = v.ID.Beside(like.Kind(), v.ID.RawNamespace(), m.name, "")
	if i.Title = engine.Textf("Clone %s into %s", v.ID.Title(), engine.Clean(m.name)); v.Word == engine.WordNoRun {
		i.Title = engine.Textf("Create run %s of placement %s", engine.Clean(m.name), v.ID.Title())
	}
	i.Object = engine.Textf("%s %s, new", like.Kind(), i.Target.Title())
	i.Confirm = engine.Clean(m.name)
	i.Effect = cloneEffect(v, m)
	i.Warn = cloneWarnings(s, v, m)
	if m.placement == v.PlacementRaw.Value() {
		i.stuckOn = v.UsedSnapshot()
		i.repeats = sameCause(v, i.stuckOn)
	}
	i.Undo = engine.Lit("Delete the new run. Started clusters keep its snapshot.")
	if m.placement == v.PlacementRaw.Value() && v.ReportDiff {
		i.Effect = append(i.Effect, engine.Lit("As in this run, clusters only report differences (ReportDiff), unless the apply strategy of the placement has changed."))
		i.Undo = engine.Lit("Delete the new run.")
	}
	i.Kubectl = cloneCommand(s, i.Target, m)
	return i, engine.Refusal{}
}

// stateless reports whether the hub is older than the field state of runs, as
// far as its runs tell.
func stateless(s *engine.Snapshot, v *engine.RunView) bool {
	if v.Word != engine.WordNoRun {
		return v.State.IsZero()
	}
	runs := 0
	for _, o := range s.Runs {
		if o.Word == engine.WordNoRun || o.Partial {
			continue
		}
		if runs++; !o.State.IsZero() {
			return false
		}
	}
	return runs > 0
}

// cloneEffect says what the new run rolls out, and when it starts.
func cloneEffect(v *engine.RunView, m made) []engine.Text {
	what := engine.Lit("the newest resources")
	if m.index != "" {
		what = engine.Textf("snapshot %s", m.index)
		if m.placement == v.PlacementRaw.Value() && m.index == v.UsedSnapshot().String() {
			what = engine.Textf("snapshot %s (that of this run)", m.index)
		}
	}
	out := []engine.Text{engine.Textf("The new run rolls out %s of placement %s, strategy %s.", what, m.placement, m.strategy)}
	if m.state == string(placement.StateInitialize) {
		return append(out, engine.Lit("It is initialized and waits: no cluster changes until it is started."))
	}
	return append(out, engine.Lit("It starts as soon as it is initialized."))
}

// cloneWarnings says which unfinished runs the new one would fight with.
func cloneWarnings(s *engine.Snapshot, v *engine.RunView, m made) []engine.Text {
	var out []engine.Text
	same := m.placement == v.PlacementRaw.Value()
	if same && !v.Over() && v.Word != engine.WordDone && !v.Started.IsZero() && updates(v) {
		out = append(out, preempts(v, m))
	}
	out = append(out, outlivedApprovals(s, v.ID, m.name)...)
	out = append(out, competingRuns(s, v, v.ID.Beside(v.ID.Kind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement), v.ID.RawNamespace(), m.placement, ""), engine.Clean(m.index))...)
	if same && older(m.index, v.UsedSnapshot().String()) {
		out = append(out, engine.Textf("Snapshot %s is older than snapshot %s of this run: the new run is a rollback.", m.index, v.UsedSnapshot()))
	}
	if !same || m.index == "" || m.index != v.UsedSnapshot().String() {
		if same && v.Stuck > 0 && len(v.Why.Overrides) > 0 && v.Why.Recovery != engine.RecoveryAutomatic {
			out = append(out, engine.Textf("Overrides apply to every snapshot: if one of them is the cause (%s) and is not fixed, the new run gets stuck, too.", engine.Enumerate(v.Why.Overrides, 3)))
		}
		return out
	}
	if w := sameCause(v, v.UsedSnapshot()); !w.IsZero() {
		out = append(out, w)
	} else if v.Word == engine.WordFailed {
		out = append(out, engine.Lit("The snapshot is the same: a failure of its manifests repeats."))
	}
	return out
}

// outlivedApprovals warns of approvals that an earlier run of the name has left, or that
// somebody has prepared: they count for the new one.
func outlivedApprovals(s *engine.Snapshot, like engine.ID, name string) []engine.Text {
	var out []engine.Text
	for _, a := range s.Of(like).Outlived {
		if a.Run.Value() == name && a.Request.RawNamespace() == like.RawNamespace() {
			out = append(out, engine.Textf("Approval request %s exists and is approved, although no run is called %s. The new run uses it: stage %s needs no other approval.", a.Request.Name(), name, engine.Clean(a.Stage.Value())))
		}
	}
	return out
}

// preempts warns that the run is unfinished. A run preempts another one on the clusters in
// progress that it gives another snapshot or other overrides, except one that is stopping: that
// is checked only when it is resumed (docs/kubefleet.md#stop).
func preempts(v *engine.RunView, m made) engine.Text {
	used, flying := v.UsedSnapshot(), v.Updating+v.Stuck+v.Preempted > 0
	same := m.index != "" && m.index == used.String()
	unless := engine.Text{}
	if m.index == "" && !used.IsZero() {
		unless = engine.Textf(", unless both have snapshot %s, the same overrides and the same apply strategy", used)
	} else if same {
		unless = engine.Lit(" only if the overrides or the apply strategy differ: both have the same snapshot")
	}
	says := engine.Textf("This run (%s) is unfinished", v.Word)
	switch {
	case v.StopWanted && flying:
		return engine.Textf("%s. The new run also updates its clusters in progress%s. This run stops when they have finished, and fails if it is resumed earlier.", says, unless)
	case v.StopWanted:
		return engine.Textf("%s: if it is resumed, it gives its pending clusters snapshot %s.", says, engine.OrUnknown(used))
	case !flying && same:
		return engine.Textf("%s. The run that updates a cluster later preempts the other%s.", says, unless)
	case !flying:
		return engine.Textf("%s and competes: the run that updates a cluster later preempts the other%s.", says, unless)
	case same:
		return engine.Textf("%s. The new run preempts it%s.", says, unless)
	}
	return engine.Textf("%s. The new run preempts it when it starts%s.", says, unless)
}

// older reports whether a snapshot index is a number below another.
func older(index, than string) bool {
	a, err := strconv.Atoi(index)
	b, no := strconv.Atoi(than)
	return err == nil && no == nil && a < b
}

// unknownStuck is the cause of a stuck run whose bindings are not read.
var unknownStuck = engine.Cause("stuck")

// sameCause warns that a run of the same snapshot gets stuck for the cause of this one; empty
// when no cluster of it is stuck or fails with the snapshot before its update has started,
// or when its cause is gone.
func sameCause(v *engine.RunView, index engine.Text) engine.Text {
	switch {
	case !v.Why.LeftFailing.IsZero():
		return engine.Textf("A cluster of this run still fails. The new run gets stuck there, too, unless the cause is fixed: %s", v.Why.LeftFailing)
	case v.Stuck == 0 && v.Word != engine.WordStuck && startBlocked(v) == 0:
		return engine.Text{}
	case v.Why.Recovery == engine.RecoveryAutomatic || v.Why.Recovery == engine.RecoveryNotNeeded:
		return engine.Text{}
	case v.Why.What.IsZero() || v.Why.Cause == unknownStuck:
		return engine.Textf("This run is stuck on snapshot %s. The new run gets stuck too, unless the cause is fixed: read the diagnosis of this run.", index)
	case v.Stuck == 0 && v.Word != engine.WordStuck:
		return engine.Textf("A cluster fails with snapshot %s already. The new run gets stuck there, too, unless the cause is fixed: %s", index, v.Why.What)
	}
	return engine.Textf("This run is stuck on snapshot %s. The new run gets stuck too, unless the cause is fixed: %s", index, v.Why.What)
}

// Repeats warns of a clone without an index whose newest snapshot turns out to be that
// of its stuck run; index is the snapshot that the new run will have.
func (i Intent) Repeats(index engine.Text) engine.Text {
	if i.create.index != "" || index.IsZero() || index != i.stuckOn {
		return engine.Text{}
	}
	return i.repeats
}

// Malformed refuses a choice that no hub takes, whatever is on it.
func (c Choice) Malformed() engine.Refusal {
	if r := wellNamed(c.Name.String()); !c.Name.IsZero() && r.Refused() {
		return r
	}
	for _, name := range []string{c.Placement.String(), c.Strategy.String()} {
		if name != "" && (!dnsName(name) || len(name) > 253) {
			return engine.Refusal{Why: engine.Textf("invalid name %q", name), Hint: engine.Lit("names have lower case letters, digits, - and .")}
		}
	}
	if x := c.Snapshot.String(); x != "" {
		if n, err := strconv.Atoi(x); err != nil || n < 0 || strconv.Itoa(n) != x {
			return engine.Refusal{Why: engine.Textf("invalid snapshot index %q", x), Hint: engine.Lit("an index is a number, 0 or more")}
		}
	}
	return engine.Refusal{}
}

// namable refuses a name that the hub would refuse, or that is taken.
func namable(s *engine.Snapshot, run engine.ID, name string) engine.Refusal {
	if r := wellNamed(name); r.Refused() {
		return r
	}
	if taken(s, run, name) {
		return engine.Refusal{Why: engine.Textf("run %s already exists", engine.Clean(name)), Hint: engine.Lit("choose another name")}
	}
	return engine.Refusal{}
}

// wellNamed refuses what is no name of a run (docs/kubefleet.md#run).
func wellNamed(name string) engine.Refusal {
	switch {
	case len(name) > nameLimit:
		return engine.Refusal{Why: engine.Textf("the name is %d characters long; at most %d are allowed", len(name), nameLimit)}
	case !dnsName(name):
		return engine.Refusal{
			Why:  engine.Textf("invalid name %q: use lower case letters, digits, - and .", engine.Clean(name)),
			Hint: engine.Lit("leave it out for the next free name"),
		}
	}
	return engine.Refusal{}
}

// dnsName reports whether the API takes a name (RFC 1123 subdomain).
func dnsName(name string) bool {
	if name == "" {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range label {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}

func taken(s *engine.Snapshot, run engine.ID, name string) bool {
	return slices.ContainsFunc(s.Runs, func(v *engine.RunView) bool { return inScope(v.ID, run) && v.ID.RawName() == name })
}

// inScope reports whether two runs cannot have one name.
func inScope(id, run engine.ID) bool {
	return id.Kind() == run.Kind() && id.RawNamespace() == run.RawNamespace()
}

// freeName makes the next name in the row of a run's: web-r9 gives web-r10, web-09
// gives web-10, web gives web-2. A name that is taken, or whose earlier run left an approval, is passed over.
func freeName(s *engine.Snapshot, run engine.ID) string {
	stem := strings.TrimRight(run.RawName(), "0123456789")
	n, err := strconv.Atoi(run.RawName()[len(stem):])
	width := 0 // of numbers with leading zeros
	if digits := run.RawName()[len(stem):]; strings.HasPrefix(digits, "0") && len(digits) > 1 {
		width = len(digits)
	}
	switch {
	case err != nil || len(run.RawName())-len(stem) > 6 || stem == "":
		stem, n, width = run.RawName()+"-", 1, 0
	case strings.HasSuffix(stem, "."):
		stem, n, width = run.RawName()+"-", 1, 0
	}
	// One of so many numbers is free. It is found in one pass: a key waits for this.
	used := make([]bool, len(s.Runs)+len(s.Of(run).Outlived)+1)
	use := func(name string) {
		own := strings.TrimRight(name, "0123456789")
		digits := name[len(own):]
		if k, err := strconv.Atoi(digits); err == nil && len(digits) >= width && (digits[0] != '0' || len(digits) == width) && n < k && k <= n+len(used) && own == stemFor(stem, len(digits)) {
			used[k-n-1] = true
		}
	}
	for _, v := range s.Runs {
		if inScope(v.ID, run) {
			use(v.ID.RawName())
		}
	}
	for _, a := range s.Of(run).Outlived {
		if a.Request.RawNamespace() == run.RawNamespace() {
			use(a.Run.Value())
		}
	}
	free := strconv.Itoa(n + 1 + slices.Index(used, false))
	free = strings.Repeat("0", max(0, width-len(free))) + free
	return stemFor(stem, len(free)) + free
}

// stemFor cuts a stem so that a name of it and a number of so many digits is not too long.
func stemFor(stem string, digits int) string {
	if over := len(stem) + digits - nameLimit; over > 0 {
		return strings.TrimRight(stem[:len(stem)-over-1], "-.") + "-"
	}
	return stem
}

// cloneCommand returns the command that creates the same run.
func cloneCommand(s *engine.Snapshot, id engine.ID, m made) engine.Text {
	meta := map[string]any{"name": m.name}
	if id.RawNamespace() != "" {
		meta["namespace"] = id.RawNamespace()
	}
	spec := map[string]any{"placementName": m.placement, "stagedRolloutStrategyName": m.strategy}
	if m.index != "" {
		spec["resourceSnapshotIndex"] = m.index
	}
	if m.state != "" {
		spec["state"] = m.state
	}
	object := shell.CompactJSON(map[string]any{
		"apiVersion": placement.GroupVersion.String(), "kind": id.Kind().String(), "metadata": meta, "spec": spec,
	})
	return engine.Textf("echo %s | %s", engine.Clean(shell.Quote(object)), kubectl(s, id, "create", "-f", "-"))
}
