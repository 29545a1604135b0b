package page

import (
	"slices"
	"strings"
	"time"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// silentAfter is how long a member may be silent before the hub stops picking
// it anew (docs/kubefleet.md#constants).
const silentAfter = 5 * time.Minute

// works lists the works that carry the placement to the cluster.
func (f *ClusterFacts) works() Section {
	s := Section{Title: engine.Lit("works"), Note: engine.Textf("in %s", placement.MemberNamespace(f.Question.Member.RawName()))}
	switch {
	case !f.WorksWhy.IsZero():
		s.Rows = []Row{TextRow(engine.RoleWait, engine.Textf("not shown: %s", f.WorksWhy))}
		return s
	case len(f.Works) == 0:
		s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none: the placement has no Work for this cluster"))}
		return s
	}
	s.Head = []engine.Text{engine.Lit("WORK"), engine.Lit("SNAPSHOT"), engine.Lit("MANIFESTS"), engine.Lit("APPLIED"), engine.Lit("AVAILABLE")}
	for i := range f.Works {
		w := &f.Works[i]
		name := engine.Clean(w.Name)
		if e := w.Labels[placement.LabelEnvelopeName]; e != "" {
			name = engine.Textf("%s (envelope %s)", name, e)
		}
		last := workCell(w, placement.BindingAvailable)
		if engine.ReadCondition(w.Status.Conditions, placement.BindingDiffReported).Truth != engine.TruthAbsent {
			last = workCell(w, placement.BindingDiffReported)
		}
		r := Row{
			Key: engine.Textf("work %s", w.Name), Object: f.Question.Placement.Beside(engine.KindWork, w.Namespace, w.Name, string(w.UID)),
			Cells: []Cell{
				TextCell(engine.RoleText, name), CleanCell(engine.RoleSub, w.Labels[placement.LabelParentResourceSnapshotIndex]),
				TextCell(engine.RoleSub, NumberText(len(w.Spec.Workload.Manifests))), workCell(w, placement.BindingApplied), last,
			},
		}
		r.Note = workNote(w)
		s.Rows = append(s.Rows, r)
	}
	return s
}

func workCell(w *placement.Work, typ string) Cell {
	g := engine.BindingConditionOf(w.Status.Conditions, typ, w.Generation)
	c := Cell{Mark: MarkAbsent, Role: engine.RoleFaint, Text: g.Reason}
	switch g.State {
	case engine.BindingConditionTrue:
		c.Mark, c.Role = MarkYes, engine.RoleGood
	case engine.BindingConditionFalse:
		c.Mark, c.Role = MarkNo, engine.RoleBad
	case engine.BindingConditionUnknown:
		c.Mark, c.Role = MarkUnknown, engine.RoleWait
	case engine.BindingConditionOutdated:
		c.Mark = MarkOld
	case engine.BindingConditionAbsent:
		c.Text = engine.Lit("not reported")
	}
	return c
}

// workNote names the manifests of a work that are not as they should be.
func workNote(w *placement.Work) engine.Text {
	var bad []engine.Text
	for i := range w.Status.ManifestConditions {
		m := &w.Status.ManifestConditions[i]
		for j := range m.Conditions {
			c := &m.Conditions[j]
			if c.Status == "True" {
				continue
			}
			name := engine.Textf("%s %s", m.Identifier.Kind, m.Identifier.Name)
			if m.Identifier.Namespace != "" {
				name = engine.Textf("%s %s/%s", m.Identifier.Kind, m.Identifier.Namespace, m.Identifier.Name)
			}
			bad = append(bad, engine.Textf("%s: %s %s, %s", name, c.Type, string(c.Status), c.Reason))
		}
	}
	if len(bad) > 6 {
		bad = append(bad[:6:6], engine.Textf("and %d more", len(bad)-6))
	}
	return engine.Join(bad, "; ")
}

// overrides says what is changed for this cluster alone.
func (f *ClusterFacts) overrides() Section {
	spec := &f.Binding.Spec
	s := Section{Title: engine.Lit("overrides in force")}
	seen := map[string]bool{}
	for i := range f.ClusterOverrides {
		o := &f.ClusterOverrides[i]
		seen[o.Name] = true
		var on []engine.Text
		secret := false
		for _, t := range o.Spec.OverrideSpec.ClusterResourceSelectors {
			on, secret = append(on, engine.Textf("%s %s", t.Kind, t.Name)), secret || t.Kind == "Secret" || t.Kind == "Namespace"
		}
		id := f.Question.Placement.Beside(engine.KindClusterResourceOverrideSnapshot, "", o.Name, string(o.UID))
		s.Rows = append(s.Rows, f.override(id, on, o.Spec.OverrideSpec.Policy, secret)...)
	}
	for i := range f.Overrides {
		o := &f.Overrides[i]
		seen[o.Namespace+"/"+o.Name] = true
		var on []engine.Text
		secret := false
		for _, t := range o.Spec.OverrideSpec.ResourceSelectors {
			on, secret = append(on, engine.Textf("%s %s", t.Kind, t.Name)), secret || t.Kind == "Secret"
		}
		id := f.Question.Placement.Beside(engine.KindResourceOverrideSnapshot, o.Namespace, o.Name, string(o.UID))
		s.Rows = append(s.Rows, f.override(id, on, o.Spec.OverrideSpec.Policy, secret)...)
	}
	for _, n := range spec.ClusterResourceOverrideSnapshots {
		if !seen[n] {
			s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("%s (could not be read)", n)))
		}
	}
	for _, n := range spec.ResourceOverrideSnapshots {
		if !seen[n.Namespace+"/"+n.Name] {
			s.Rows = append(s.Rows, TextRow(engine.RoleWait, engine.Textf("%s/%s (could not be read)", n.Namespace, n.Name)))
		}
	}
	if len(s.Rows) == 0 && engine.ReadCondition(f.Binding.Status.Conditions, placement.BindingOverridden).Truth != engine.TruthAbsent {
		s.Rows = []Row{TextRow(engine.RoleFaint, engine.Lit("none"))}
	}
	return s
}

func (f *ClusterFacts) override(id engine.ID, on []engine.Text, p *placement.OverridePolicy, secret bool) []Row {
	rows := []Row{{Key: engine.Textf("override %s", id.Title()), Object: id, Cells: []Cell{TextCell(engine.RoleName, id.Title()), TextCell(engine.RoleSub, engine.Textf("on %s", engine.Enumerate(on, 4)))}}}
	if p == nil {
		return rows
	}
	for i := range p.OverrideRules {
		rule := &p.OverrideRules[i]
		if rule.OverrideType == "Delete" {
			rows = append(rows, TextRow(engine.RoleWait, engine.Lit("  rule: the resource is left out")))
		}
		for _, op := range rule.JSONPatchOverrides {
			value := engine.Clean(string(op.Value))
			if secret && len(op.Value) > 0 {
				value = f.Mask(string(op.Value))
			}
			rows = append(rows, TextRow(engine.RoleSub, engine.Textf("  rule %d: %s %s %s", i+1, op.Op, op.Path, value)))
		}
	}
	return rows
}

// member says how the member cluster itself is.
func (f *ClusterFacts) member() Section {
	name := f.Question.Member.Name()
	s := Section{Title: engine.Textf("member %s", name)}
	m := f.Member
	if m == nil {
		why := f.MemberWhy
		if why.IsZero() {
			why = engine.Lit("not a member: it left the fleet, or is being removed")
		}
		s.Rows = []Row{TextRow(engine.RoleWait, why)}
		return s
	}
	id := f.Question.Placement.Beside(engine.KindMemberCluster, "", m.Name, string(m.UID))
	first := conditionCell(engine.ReadCondition(m.Status.Conditions, "Joined"))
	row := LabelRow(engine.Lit("joined"), first)
	row.Key, row.Object = engine.Lit("member"), id
	s.Rows = append(s.Rows, row)
	if m.DeletionTimestamp != nil {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("leaving"), Cell{Role: engine.RoleWait, Text: engine.Lit("being removed from the fleet since"), At: m.DeletionTimestamp.Time}))
	}
	s.Rows = append(s.Rows, f.heartbeat(m)...)
	if len(m.Spec.Taints) == 0 {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("taints"), TextCell(engine.RoleFaint, engine.Lit("none"))))
	}
	for _, t := range m.Spec.Taints {
		text := engine.Textf("%s=%s:%s", t.Key, t.Value, t.Effect)
		if t.Value == "" {
			text = engine.Textf("%s:%s", t.Key, t.Effect)
		}
		s.Rows = append(s.Rows, LabelRow(engine.Lit("taint"), TextCell(engine.RoleWait, text)))
	}
	keys := make([]string, 0, len(m.Labels))
	for k := range m.Labels {
		if !strings.HasPrefix(k, placement.Prefix) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("label"), TextCell(engine.RoleText, engine.Textf("%s=%s", k, m.Labels[k]))))
	}
	if p, ok := m.Status.Properties[placement.Prefix+"node-count"]; ok {
		s.Rows = append(s.Rows, LabelRow(engine.Lit("nodes"), CleanCell(engine.RoleText, p.Value)))
	}
	u := m.Status.ResourceUsage
	for _, r := range []string{"cpu", "memory"} {
		free, ok := u.Available[r]
		if !ok {
			continue
		}
		all := u.Allocatable[r]
		s.Rows = append(s.Rows, LabelRow(engine.Clean(r), TextCell(engine.RoleText, engine.Textf("%s free of %s", free.String(), all.String()))))
	}
	return s
}

func conditionCell(c engine.Fact) Cell {
	switch c.Truth {
	case engine.TruthYes:
		return Cell{Mark: MarkYes, Role: engine.RoleGood, Text: engine.Lit("yes, since"), At: c.Since}
	case engine.TruthNo:
		return Cell{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Textf("no, %s since", c.Reason), At: c.Since}
	case engine.TruthUnknown:
		return Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Textf("not known, %s since", c.Reason), At: c.Since}
	}
	return Cell{Mark: MarkAbsent, Role: engine.RoleFaint, Text: engine.Lit("not reported")}
}

// heartbeat says when each agent of the member was heard last. The hub takes a
// member for silent after silentAfter.
func (f *ClusterFacts) heartbeat(m *cluster.MemberCluster) []Row {
	var rows []Row
	period := time.Duration(m.Spec.HeartbeatPeriodSeconds) * time.Second
	for i := range m.Status.AgentStatus {
		a := &m.Status.AgentStatus[i]
		if a.LastReceivedHeartbeat == nil {
			rows = append(rows, LabelRow(engine.Clean(string(a.Type)), Cell{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Lit("no heartbeat yet")}))
			continue
		}
		at := a.LastReceivedHeartbeat.Time
		c := Cell{Mark: MarkYes, Role: engine.RoleGood, Text: engine.Lit("last heartbeat"), Since: at}
		switch silent := f.Now.Sub(at); {
		case silent > silentAfter:
			c = Cell{Mark: MarkNo, Role: engine.RoleBad, Text: engine.Lit("no heartbeat for"), Since: at}
		case period > 0 && silent > 2*period:
			c = Cell{Mark: MarkUnknown, Role: engine.RoleWait, Text: engine.Lit("late, last heartbeat"), Since: at}
		}
		rows = append(rows, LabelRow(engine.Clean(string(a.Type)), c))
		if h := engine.ReadCondition(a.Conditions, "Healthy"); h.Truth == engine.TruthNo {
			rows = append(rows, Row{Cells: []Cell{TextCell(engine.RoleSub, engine.Lit("health")), {Mark: MarkNo, Role: engine.RoleBad, Text: engine.Clean(h.Reason), Since: h.Since}}, Note: engine.Message(h.Message)})
		}
	}
	if len(m.Status.AgentStatus) == 0 {
		rows = append(rows, LabelRow(engine.Lit("agent"), TextCell(engine.RoleWait, engine.Lit("has not reported yet"))))
	}
	return rows
}
