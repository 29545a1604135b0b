package engine

import (
	"slices"
	"strings"
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// silentAfter is how long a member may be silent before the hub stops picking
// it anew (docs/kubefleet.md#constants).
const silentAfter = 5 * time.Minute

// works lists the works that carry the placement to the cluster.
func (f *ClusterFacts) works() Section {
	s := Section{Title: Lit("works"), Note: Textf("in %s", placement.MemberNamespace(f.Question.Member.RawName()))}
	switch {
	case !f.WorksWhy.IsZero():
		s.Rows = []Row{say(RoleWait, Textf("not shown: %s", f.WorksWhy))}
		return s
	case len(f.Works) == 0:
		s.Rows = []Row{say(RoleFaint, Lit("none: the placement has no Work for this cluster"))}
		return s
	}
	s.Head = []Text{Lit("WORK"), Lit("SNAPSHOT"), Lit("MANIFESTS"), Lit("APPLIED"), Lit("AVAILABLE")}
	for i := range f.Works {
		w := &f.Works[i]
		name := Clean(w.Name)
		if e := w.Labels[placement.LabelEnvelopeName]; e != "" {
			name = Textf("%s (envelope %s)", name, e)
		}
		last := workCell(w, placement.BindingAvailable)
		if ReadCondition(w.Status.Conditions, placement.BindingDiffReported).Truth != TruthAbsent {
			last = workCell(w, placement.BindingDiffReported)
		}
		r := Row{
			Key: Textf("work %s", w.Name), Object: NewID(KindWork, w.Namespace, w.Name, string(w.UID)),
			Cells: []Cell{
				cell(RoleText, name), raw(RoleSub, w.Labels[placement.LabelParentResourceSnapshotIndex]),
				cell(RoleSub, itoa(len(w.Spec.Workload.Manifests))), workCell(w, placement.BindingApplied), last,
			},
		}
		r.Note = workNote(w)
		s.Rows = append(s.Rows, r)
	}
	return s
}

func workCell(w *placement.Work, typ string) Cell {
	g := rungOf(w.Status.Conditions, typ, w.Generation)
	c := Cell{Mark: MarkAbsent, Role: RoleFaint, Text: g.Reason}
	switch g.State {
	case RungTrue:
		c.Mark, c.Role = MarkYes, RoleGood
	case RungFalse:
		c.Mark, c.Role = MarkNo, RoleBad
	case RungUnknown:
		c.Mark, c.Role = MarkUnknown, RoleWait
	case RungOld:
		c.Mark = MarkOld
	case RungNone:
		c.Text = Lit("not reported")
	}
	return c
}

// workNote names the manifests of a work that are not as they should be.
func workNote(w *placement.Work) Text {
	var bad []Text
	for i := range w.Status.ManifestConditions {
		m := &w.Status.ManifestConditions[i]
		for j := range m.Conditions {
			c := &m.Conditions[j]
			if c.Status == "True" {
				continue
			}
			name := Textf("%s %s", m.Identifier.Kind, m.Identifier.Name)
			if m.Identifier.Namespace != "" {
				name = Textf("%s %s/%s", m.Identifier.Kind, m.Identifier.Namespace, m.Identifier.Name)
			}
			bad = append(bad, Textf("%s: %s %s, %s", name, c.Type, string(c.Status), c.Reason))
		}
	}
	if len(bad) > 6 {
		bad = append(bad[:6:6], Textf("and %d more", len(bad)-6))
	}
	return Join(bad, "; ")
}

// overrides tells what is changed for this cluster alone.
func (f *ClusterFacts) overrides() Section {
	spec := &f.Binding.Spec
	s := Section{Title: Lit("overrides in force")}
	seen := map[string]bool{}
	for i := range f.ClusterOverrides {
		o := &f.ClusterOverrides[i]
		seen[o.Name] = true
		var on []Text
		secret := false
		for _, t := range o.Spec.OverrideSpec.ClusterResourceSelectors {
			on, secret = append(on, Textf("%s %s", t.Kind, t.Name)), secret || t.Kind == "Secret" || t.Kind == "Namespace"
		}
		id := NewID(KindClusterResourceOverrideSnapshot, "", o.Name, string(o.UID))
		s.Rows = append(s.Rows, f.override(id, on, o.Spec.OverrideSpec.Policy, secret)...)
	}
	for i := range f.Overrides {
		o := &f.Overrides[i]
		seen[o.Namespace+"/"+o.Name] = true
		var on []Text
		secret := false
		for _, t := range o.Spec.OverrideSpec.ResourceSelectors {
			on, secret = append(on, Textf("%s %s", t.Kind, t.Name)), secret || t.Kind == "Secret"
		}
		id := NewID(KindResourceOverrideSnapshot, o.Namespace, o.Name, string(o.UID))
		s.Rows = append(s.Rows, f.override(id, on, o.Spec.OverrideSpec.Policy, secret)...)
	}
	for _, n := range spec.ClusterResourceOverrideSnapshots {
		if !seen[n] {
			s.Rows = append(s.Rows, say(RoleWait, Textf("%s (could not be read)", n)))
		}
	}
	for _, n := range spec.ResourceOverrideSnapshots {
		if !seen[n.Namespace+"/"+n.Name] {
			s.Rows = append(s.Rows, say(RoleWait, Textf("%s/%s (could not be read)", n.Namespace, n.Name)))
		}
	}
	if len(s.Rows) == 0 && ReadCondition(f.Binding.Status.Conditions, placement.BindingOverridden).Truth != TruthAbsent {
		s.Rows = []Row{say(RoleFaint, Lit("none"))}
	}
	return s
}

func (f *ClusterFacts) override(id ID, on []Text, p *placement.OverridePolicy, secret bool) []Row {
	rows := []Row{{Key: Textf("override %s", id.Title()), Object: id, Cells: []Cell{cell(RoleName, id.Title()), cell(RoleSub, Textf("on %s", Enumerate(on, 4)))}}}
	if p == nil {
		return rows
	}
	for i := range p.OverrideRules {
		rule := &p.OverrideRules[i]
		if rule.OverrideType == "Delete" {
			rows = append(rows, say(RoleWait, Lit("  rule: the resource is left out")))
		}
		for _, op := range rule.JSONPatchOverrides {
			value := Clean(string(op.Value))
			if secret && len(op.Value) > 0 {
				value = f.Mask(string(op.Value))
			}
			rows = append(rows, say(RoleSub, Textf("  rule %d: %s %s %s", i+1, op.Op, op.Path, value)))
		}
	}
	return rows
}

// member tells how the member cluster itself is.
func (f *ClusterFacts) member() Section {
	name := f.Question.Member.Name()
	s := Section{Title: Textf("member %s", name)}
	m := f.Member
	if m == nil {
		why := f.MemberWhy
		if why.IsZero() {
			why = Lit("not a member: it left the fleet, or is being removed")
		}
		s.Rows = []Row{say(RoleWait, why)}
		return s
	}
	id := NewID(KindMemberCluster, "", m.Name, string(m.UID))
	first := conditionCell(ReadCondition(m.Status.Conditions, "Joined"))
	row := label(Lit("joined"), first)
	row.Key, row.Object = Lit("member"), id
	s.Rows = append(s.Rows, row)
	if m.DeletionTimestamp != nil {
		s.Rows = append(s.Rows, label(Lit("leaving"), Cell{Role: RoleWait, Text: Lit("being removed from the fleet since"), At: m.DeletionTimestamp.Time}))
	}
	s.Rows = append(s.Rows, f.heartbeat(m)...)
	if len(m.Spec.Taints) == 0 {
		s.Rows = append(s.Rows, label(Lit("taints"), cell(RoleFaint, Lit("none"))))
	}
	for _, t := range m.Spec.Taints {
		text := Textf("%s=%s:%s", t.Key, t.Value, t.Effect)
		if t.Value == "" {
			text = Textf("%s:%s", t.Key, t.Effect)
		}
		s.Rows = append(s.Rows, label(Lit("taint"), cell(RoleWait, text)))
	}
	keys := make([]string, 0, len(m.Labels))
	for k := range m.Labels {
		if !strings.HasPrefix(k, placement.Prefix) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		s.Rows = append(s.Rows, label(Lit("label"), cell(RoleText, Textf("%s=%s", k, m.Labels[k]))))
	}
	if p, ok := m.Status.Properties[placement.Prefix+"node-count"]; ok {
		s.Rows = append(s.Rows, label(Lit("nodes"), raw(RoleText, p.Value)))
	}
	u := m.Status.ResourceUsage
	for _, r := range []string{"cpu", "memory"} {
		free, ok := u.Available[r]
		if !ok {
			continue
		}
		all := u.Allocatable[r]
		s.Rows = append(s.Rows, label(Clean(r), cell(RoleText, Textf("%s free of %s", free.String(), all.String()))))
	}
	return s
}

func conditionCell(c Fact) Cell {
	switch c.Truth {
	case TruthYes:
		return Cell{Mark: MarkYes, Role: RoleGood, Text: Lit("yes, since"), At: c.Since}
	case TruthNo:
		return Cell{Mark: MarkNo, Role: RoleBad, Text: Textf("no, %s since", c.Reason), At: c.Since}
	case TruthUnknown:
		return Cell{Mark: MarkUnknown, Role: RoleWait, Text: Textf("not known, %s since", c.Reason), At: c.Since}
	}
	return Cell{Mark: MarkAbsent, Role: RoleFaint, Text: Lit("not reported")}
}

// heartbeat tells when each agent of the member was heard last. The hub takes a
// member for silent after silentAfter.
func (f *ClusterFacts) heartbeat(m *cluster.MemberCluster) []Row {
	var rows []Row
	period := time.Duration(m.Spec.HeartbeatPeriodSeconds) * time.Second
	for i := range m.Status.AgentStatus {
		a := &m.Status.AgentStatus[i]
		if a.LastReceivedHeartbeat == nil {
			rows = append(rows, label(Clean(string(a.Type)), Cell{Mark: MarkNo, Role: RoleBad, Text: Lit("never heard")}))
			continue
		}
		at := a.LastReceivedHeartbeat.Time
		c := Cell{Mark: MarkYes, Role: RoleGood, Text: Lit("last heard"), Since: at}
		switch silent := f.Now.Sub(at); {
		case silent > silentAfter:
			c = Cell{Mark: MarkNo, Role: RoleBad, Text: Lit("SILENT for"), Since: at}
		case period > 0 && silent > 2*period:
			c = Cell{Mark: MarkUnknown, Role: RoleWait, Text: Lit("late, last heard"), Since: at}
		}
		rows = append(rows, label(Clean(string(a.Type)), c))
		if h := ReadCondition(a.Conditions, "Healthy"); h.Truth == TruthNo {
			rows = append(rows, Row{Cells: []Cell{cell(RoleSub, Lit("health")), {Mark: MarkNo, Role: RoleBad, Text: Clean(h.Reason), Since: h.Since}}, Note: Clean(h.Message)})
		}
	}
	if len(m.Status.AgentStatus) == 0 {
		rows = append(rows, label(Lit("agent"), cell(RoleWait, Lit("has not reported yet"))))
	}
	return rows
}
