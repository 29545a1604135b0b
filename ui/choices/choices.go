// Package choices lists what commands of the command line can take: runs, orders of the list,
// namespaces.
package choices

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui/palette"
	"github.com/stagewatch/stagewatch/ui/runlist"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Runs lists the runs of a snapshot in the forms that scope understands; now is the one
// that commands act on.
func Runs(s *engine.Snapshot, scope runref.Scope, now engine.ID) (out []palette.Choice) {
	if s == nil {
		return nil
	}
	var ids []engine.ID
	for _, v := range s.Runs {
		if v.Word != engine.WordNoRun {
			ids = append(ids, v.ID)
		}
	}
	forms := scope.Forms(ids)
	for _, v := range s.Runs {
		if v.Word == engine.WordNoRun {
			continue
		}
		c := palette.Choice{Value: forms.Of(v.ID).String(), About: engine.Textf("%s %s", v.Word, column.Cause(v)), Now: v.ID == now}
		for _, form := range forms.All(v.ID) {
			c.Also = append(c.Also, form.String())
		}
		if ns := v.ID.Namespace(); !ns.IsZero() {
			c.Also = append(c.Also, engine.Textf("-n %s %s", ns, v.ID.Name()).String())
		}
		out = append(out, c)
	}
	return out
}

// descending is what stands behind a column for the other direction.
const descending = " desc"

// Orders lists by what the list can be sorted; now is the column by which it is, desc its
// direction, several is set for a list of several hubs, chosen are the columns of the configuration.
func Orders(now string, desc, several bool, chosen []column.Column) (out []palette.Choice) {
	now = cmp.Or(now, "state")
	for _, c := range column.Sortable(chosen) {
		if c.Hubs && !several {
			continue
		}
		about, word := engine.Text{}, c.Word()
		switch {
		case word == "state" && word == now && !desc: // chosen again, it stays
			about = engine.Lit("runs that need attention first (state desc: last)")
		case word == now:
			about = engine.Lit("choose it again to reverse the order")
		case word == "state":
			about = engine.Lit("runs that need attention first")
		case !strings.EqualFold(c.Head, word): // the head says more than its name does
			about = engine.Clean(c.Head)
		}
		out = append(out, palette.Choice{Value: word, About: about, Now: word == now, Up: word == now && !desc, Down: word == now && desc})
	}
	return out
}

// Order reads a choice of Orders, which may have the direction behind it, or before it as in get
// --sort-by: clusters, clusters desc, -clusters; ok is false for anything else.
func Order(choice string, chosen []column.Column) (by string, desc, ok bool) {
	by, desc = strings.CutPrefix(choice, "-")
	if !desc {
		by, desc = strings.CutSuffix(by, descending)
	}
	c, ok := column.Find(chosen, by)
	return by, desc, ok && c.Compare != nil
}

// Views lists views with their digits; now is the one that is shown.
func Views(views []runlist.View, now string) (out []palette.Choice) {
	for i, v := range views {
		var about []engine.Text
		if i < 9 {
			about = append(about, engine.Textf("key %d", i+1))
		}
		if v.Filter != "" {
			about = append(about, engine.Textf("filter %s", engine.Clean(v.Filter)))
		}
		if v.Sort != "" && v.Descending {
			about = append(about, engine.Textf("by %s, descending", engine.Clean(v.Sort)))
		} else if v.Sort != "" {
			about = append(about, engine.Textf("by %s", engine.Clean(v.Sort)))
		}
		out = append(out, palette.Choice{Value: v.Name, About: engine.Join(about, "; "), Now: v.Name == now})
	}
	return append(out, palette.Choice{Value: runlist.NoView, About: engine.Lit("all runs, those that need attention first"), Now: now == ""})
}

// Themes lists the themes; now is the one that is chosen.
func Themes(now string, own []theme.Own) (out []palette.Choice) {
	for _, name := range theme.Names(own...) {
		c := palette.Choice{Value: name, Now: name == now || now == "" && name == theme.Default}
		switch name {
		case theme.Default:
			c.About = engine.Lit("dark or light, to match the terminal")
		case "ansi":
			c.About = engine.Lit("the 16 colours of the terminal")
		case "deuteranopia", "tritanopia":
			c.About = engine.Textf("colours for %s", name)
		}
		if dark, ok := theme.Background(name); ok {
			on := engine.Lit("for a light terminal")
			if dark {
				on = engine.Lit("for a dark terminal")
			}
			c.About = engine.Join(slices.DeleteFunc([]engine.Text{c.About, on}, engine.Text.IsZero), ", ")
		}
		out = append(out, c)
	}
	return out
}

// AllNamespaces is the choice of all namespaces.
const AllNamespaces = "all"

// Present says that a context or a namespace, or all of them, was chosen already.
func Present(choice string) engine.Text {
	if choice == AllNamespaces {
		return engine.Lit("All namespaces are already on the screen.")
	}
	return engine.Textf("%s is already on the screen.", engine.Clean(choice))
}

// Contexts are choices of contexts: those of the hubs of a snapshot are marked, and say why a
// hub is not live.
func Contexts(all []palette.Choice, s *engine.Snapshot) []palette.Choice {
	if s == nil {
		return all
	}
	all = slices.Clone(all)
	for _, h := range s.Each() {
		i := slices.IndexFunc(all, func(c palette.Choice) bool { return c.Value == h.Hub.Name.Raw() })
		if i < 0 {
			continue
		}
		c := &all[i]
		switch c.Now = true; {
		case h.Link.State == engine.LinkLive && h.Scope.NoHub:
			c.About = engine.Textf("has no KubeFleet hub API, %s", c.About)
		case h.Link.State != engine.LinkLive && h.Link.Err.IsZero():
			c.About = engine.Textf("%s, %s", h.Link.State, c.About)
		case h.Link.State != engine.LinkLive:
			c.About = engine.Textf("%s: %s, %s", h.Link.State, h.Link.Err, c.About)
		}
	}
	return all
}

// Namespaces lists the namespaces of the runs of a snapshot and those of read, behind all of
// them; now is the one that is shown, empty for all. read may be nil.
func Namespaces(s *engine.Snapshot, now string, read func() []engine.Text) []palette.Choice {
	out := []palette.Choice{{Value: AllNamespaces, About: engine.Lit("all namespaces"), Now: now == ""}}
	if s == nil {
		return out
	}
	runs := map[string]int{}
	if read != nil {
		for _, ns := range read() {
			runs[ns.String()] = 0
		}
	}
	for _, v := range s.Runs {
		if ns := v.ID.RawNamespace(); ns != "" {
			runs[ns]++
		}
	}
	for _, ns := range slices.Sorted(maps.Keys(runs)) {
		c := palette.Choice{Value: ns, Now: ns == now}
		if runs[ns] > 0 || read == nil { // of the others none is watched
			c.About = engine.Count(runs[ns], "run")
		}
		out = append(out, c)
	}
	return out
}
