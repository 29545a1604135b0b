package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// diffLimit bounds the changes that are listed of one resource.
const diffLimit = 60

// SnapshotsFacts is what a comparison of two resource snapshots is made of.
type SnapshotsFacts struct {
	Question Question
	Now      time.Time
	// Resources are the snapshots of the placement, masters and parts.
	Resources []placement.ResourceSnapshot
	// Mask replaces the values of Secrets within a decoded manifest
	// (docs/architecture.md#hub-text).
	Mask func(map[string]any)
}

// SnapshotsPage returns what changed from one resource snapshot to another.
func SnapshotsPage(f SnapshotsFacts) Answer {
	q := f.Question
	a := Answer{Question: q, At: f.Now}
	var from, to *engine.SnapshotGroup
	groups := engine.GroupSnapshots(f.Resources)
	for i := range groups {
		switch groups[i].Index {
		case q.From:
			from = &groups[i]
		case q.To:
			to = &groups[i]
		}
	}
	if from == nil || to == nil {
		a.Err = engine.Textf("snapshots %[2]d and %[3]d of placement %[1]s were deleted", q.About.Title(), q.From, q.To)
		a.Hint = engine.Lit("old snapshots are removed when there are more than the placement's revisionHistoryLimit")
		return a
	}
	if to.Master != nil {
		a.Object = q.About.Beside(q.About.Kind().Twin(engine.KindClusterResourceSnapshot, engine.KindResourceSnapshot), to.Master.Namespace, to.Master.Name, string(to.Master.UID))
	}
	d := differ{mask: f.Mask}
	rows, note := d.changes(d.read(from), d.read(to))
	if len(rows) == 0 {
		rows = []Row{say(engine.RoleFaint, engine.Lit("No difference."))}
	}
	if d.broken > 0 {
		rows = append(rows, say(engine.RoleWait, engine.Textf("%s could not be read and are not compared", engine.Count(d.broken, "manifest"))))
	}
	a.Sections = []Section{{Title: engine.Textf("snapshot %d to %d of %s", q.From, q.To, q.About.Title()), Note: note, Rows: rows}}
	return a
}

// changes are the rows of what is not the same in two sets of manifests, by
// name, and how many there are of each sort.
func (d *differ) changes(older, newer map[string]map[string]any) (rows []Row, note engine.Text) {
	names := slices.Collect(maps.Keys(older))
	for n := range newer {
		if _, ok := older[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var added, gone, changed, same int
	for _, n := range names {
		o, isOld := older[n]
		w, isNew := newer[n]
		switch {
		case !isOld:
			added++
			rows = append(rows, Row{Key: engine.Clean(n), Cells: []Cell{{Mark: MarkAdded, Role: engine.RoleGood, Text: engine.Textf("%s is new", n)}}})
		case !isNew:
			gone++
			rows = append(rows, Row{Key: engine.Clean(n), Cells: []Cell{{Mark: MarkGone, Role: engine.RoleBad, Text: engine.Textf("%s is gone: members remove it", n)}}})
		default:
			d.rows = nil
			d.compare("", o, w)
			if len(d.rows) == 0 {
				same++
				continue
			}
			changed++
			rows = append(rows, Row{Key: engine.Clean(n), Cells: []Cell{{Mark: MarkMine, Role: engine.RoleName, Text: engine.Clean(n)}}})
			if len(d.rows) > diffLimit {
				more := len(d.rows) - diffLimit
				d.rows = append(d.rows[:diffLimit:diffLimit], say(engine.RoleSub, engine.Textf("  and %s", engine.Count(more, "more line"))))
			}
			rows = append(rows, d.rows...)
		}
	}
	return rows, engine.Textf("%d changed, %d new, %d gone, %d the same", changed, added, gone, same)
}

// differ compares decoded manifests.
type differ struct {
	mask   func(map[string]any)
	rows   []Row
	broken int
}

// read decodes the manifests of a snapshot, by kind and name.
func (d *differ) read(g *engine.SnapshotGroup) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, p := range g.Parts {
		for i := range p.Spec.SelectedResources {
			var o map[string]any
			if err := json.Unmarshal(p.Spec.SelectedResources[i].Raw, &o); err != nil || o == nil {
				d.broken++
				continue
			}
			d.mask(o)
			out[manifestKey(o)] = o
		}
	}
	return out
}

// manifestKey names a manifest: kind, namespace and name; the group only where
// it is not a built-in one.
func manifestKey(o map[string]any) string {
	str := func(m map[string]any, k string) string {
		s, ok := m[k].(string)
		if !ok {
			return ""
		}
		return s
	}
	meta, ok := o["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
	}
	key := str(o, "kind")
	if group, _, found := strings.Cut(str(o, "apiVersion"), "/"); found && strings.Contains(group, ".") {
		key += "." + group
	}
	key += " "
	if ns := str(meta, "namespace"); ns != "" {
		key += ns + "/"
	}
	return key + str(meta, "name")
}

// compare adds a row for each field that differs.
func (d *differ) compare(path string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Collect(maps.Keys(x))
		for k := range y {
			if _, ok := x[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			sub := path + "." + k
			if strings.ContainsAny(k, "./ ") {
				sub = path + "[" + k + "]"
			}
			v, isOld := x[k]
			w, isNew := y[k]
			d.either(strings.TrimPrefix(sub, "."), v, isOld, w, isNew)
		}
		return
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		d.compareLists(path, x, y)
		return
	}
	if !equalJSON(a, b) {
		d.either(path, a, true, b, true)
	}
}

// compareLists matches elements by their name where they have one, else by
// position.
func (d *differ) compareLists(path string, x, y []any) {
	xn, yn := byName(x), byName(y)
	if xn == nil || yn == nil {
		for i := range max(len(x), len(y)) {
			var a, b any
			if i < len(x) {
				a = x[i]
			}
			if i < len(y) {
				b = y[i]
			}
			d.either(fmt.Sprintf("%s[%d]", path, i), a, i < len(x), b, i < len(y))
		}
		return
	}
	names := slices.Collect(maps.Keys(xn))
	for n := range yn {
		if _, ok := xn[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		a, isOld := xn[n]
		b, isNew := yn[n]
		d.either(path+"["+n+"]", a, isOld, b, isNew)
	}
}

// byName indexes a list of objects with names of their own; nil when it is none.
func byName(l []any) map[string]any {
	out := map[string]any{}
	for _, e := range l {
		m, ok := e.(map[string]any)
		if !ok {
			return nil
		}
		n, ok := m["name"].(string)
		if _, twice := out[n]; !ok || twice {
			return nil
		}
		out[n] = e
	}
	return out
}

// either compares two values of which one may not be there.
func (d *differ) either(path string, a any, isOld bool, b any, isNew bool) {
	if isOld && isNew {
		if equalJSON(a, b) {
			return
		}
		_, am := a.(map[string]any)
		_, bm := b.(map[string]any)
		_, al := a.([]any)
		_, bl := b.([]any)
		if am && bm || al && bl {
			d.compare(path, a, b)
			return
		}
	}
	d.rows = append(d.rows, say(engine.RoleSub, engine.Textf("  %s", path)))
	if isOld {
		d.rows = append(d.rows, Row{Cells: []Cell{{Mark: MarkGone, Role: engine.RoleBad, Text: engine.Textf("  %s", shown(a))}}})
	}
	if isNew {
		d.rows = append(d.rows, Row{Cells: []Cell{{Mark: MarkAdded, Role: engine.RoleGood, Text: engine.Textf("  %s", shown(b))}}})
	}
}

func equalJSON(a, b any) bool { return engine.CompactJSON(a) == engine.CompactJSON(b) }

// shown writes a value: words as they are, everything else as JSON.
func shown(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return s
	}
	return engine.CompactJSON(v)
}
