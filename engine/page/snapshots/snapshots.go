// Package snapshots is the page that compares two resource snapshots, as a unified
// diff.
package snapshots

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/shell"
	"github.com/stagewatch/stagewatch/engine/world"
)

// diffLimit bounds the lines of the diff of one resource.
const diffLimit = 60

// Facts is what a comparison of two resource snapshots is made of.
type Facts struct {
	Question page.SnapshotsQuestion
	Now      time.Time
	// Resources are the snapshots of the placement, masters and parts.
	Resources []placement.ResourceSnapshot
	// Mask replaces the values of Secrets within a decoded manifest
	// (docs/architecture.md#hub-text).
	Mask func(map[string]any)
}

// Page returns what changed from one resource snapshot to another.
func Page(f Facts) page.Answer {
	q := f.Question
	a := page.Answer{At: f.Now}
	var from, to *world.SnapshotGroup
	groups := world.GroupSnapshots(f.Resources)
	for i := range groups {
		switch groups[i].Index {
		case q.From:
			from = &groups[i]
		case q.To:
			to = &groups[i]
		}
	}
	if from == nil || to == nil {
		missing := engine.Textf("snapshots %d and %d", q.From, q.To)
		if from != nil {
			missing = engine.Textf("snapshot %d", q.To)
		} else if to != nil {
			missing = engine.Textf("snapshot %d", q.From)
		}
		a.Err = engine.Textf("cannot compare snapshots %d and %d of placement %s: %s not found", q.From, q.To, q.Placement.Title(), missing)
		a.Hint = engine.Lit("old snapshots are deleted when there are more than the placement's revisionHistoryLimit")
		return a
	}
	if to.Master != nil {
		a.Object = q.Placement.Beside(q.Placement.Kind().InScope(engine.KindClusterResourceSnapshot, engine.KindResourceSnapshot), to.Master.Namespace, to.Master.Name, string(to.Master.UID))
	}
	d := differ{mask: f.Mask}
	rows, note := d.changes(d.read(from), d.read(to))
	if len(rows) == 0 {
		rows = []page.Row{page.TextRow(engine.RoleFaint, engine.Lit("No difference."))}
	}
	if d.broken > 0 {
		rows = append(rows, page.TextRow(engine.RoleWait, engine.Textf("%s could not be read and are not compared", engine.Count(d.broken, "manifest"))))
	}
	a.Sections = []page.Section{{Title: engine.Textf("snapshot %d to %d of %s", q.From, q.To, q.Placement.Title()), Note: note, Rows: rows}}
	return a
}

// changes are the rows of what is not the same in two sets of manifests, by
// name, and how many there are of each sort.
func (d *differ) changes(older, newer map[string]map[string]any) (rows []page.Row, note engine.Text) {
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
			rows = append(rows, page.Row{Key: engine.Clean(n), Cells: []page.Cell{{Mark: page.MarkAdded, Role: engine.RoleGood, Text: engine.Textf("%s is new", n)}}})
		case !isNew:
			gone++
			rows = append(rows, page.Row{Key: engine.Clean(n), Cells: []page.Cell{{Mark: page.MarkGone, Role: engine.RoleBad, Text: engine.Textf("%s is gone: members remove it", n)}}})
		case shell.CompactJSON(o) == shell.CompactJSON(w):
			same++
		default:
			changed++
			rows = append(rows, page.Row{Key: engine.Clean(n), Cells: []page.Cell{{Mark: page.MarkMine, Role: engine.RoleName, Text: engine.Clean(n)}}})
			rows = append(rows, d.unified(o, w)...)
		}
	}
	return rows, engine.Textf("%d changed, %d new, %d gone, %d the same", changed, added, gone, same)
}

// differ compares decoded manifests.
type differ struct {
	mask   func(map[string]any)
	broken int
}

// read decodes the manifests of a snapshot, by kind and name.
func (d *differ) read(g *world.SnapshotGroup) map[string]map[string]any {
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

// unified is the unified diff of two manifests as YAML, at most diffLimit lines of it.
func (d *differ) unified(older, newer map[string]any) []page.Row {
	var texts [2]string
	for i, o := range []map[string]any{older, newer} {
		CleanCell, err := yaml.Marshal(o)
		if err != nil {
			d.broken++
			return nil
		}
		texts[i] = string(CleanCell)
	}
	var rows []page.Row
	more := 0
	for line := range strings.Lines(udiff.Unified("", "", texts[0], texts[1])) {
		line = strings.TrimSuffix(line, "\n")
		var c page.Cell
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "\\"):
			continue // the head names the manifest
		case len(rows) == diffLimit:
			more++
			continue
		case strings.HasPrefix(line, "@@"):
			c = page.TextCell(engine.RoleFaint, engine.Textf("  %s", line))
		case strings.HasPrefix(line, "-"):
			c = page.Cell{Mark: page.MarkGone, Role: engine.RoleBad, Text: engine.Clean(line[1:])}
		case strings.HasPrefix(line, "+"):
			c = page.Cell{Mark: page.MarkAdded, Role: engine.RoleGood, Text: engine.Clean(line[1:])}
		default:
			c = page.TextCell(engine.RoleSub, engine.Textf(" %s", line))
		}
		rows = append(rows, page.Row{Cells: []page.Cell{c}})
	}
	if more > 0 {
		rows = append(rows, page.TextRow(engine.RoleText, engine.Textf("  and %s", engine.Count(more, "more line"))))
	}
	return rows
}
