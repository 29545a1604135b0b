package runlist

import (
	"slices"
	"sort"
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// belowLines writes into n lines below the rows of a list beside a run what the listed runs in
// trouble have in common, and what happened last to the listed runs.
func (l *List) belowLines(n int) []string {
	th := l.scene.Theme
	var out []string
	if all := l.common; len(all) > 0 && n >= latest.Head+len(all) {
		head := "IN COMMON"
		if n := count(l.rows, isGuessed); n > 0 {
			head += " (bindings of " + label.Plural(n, "run") + " not read)"
		}
		out = append(out, "", latest.Heading(th, head, l.w))
		for _, c := range all {
			r := cell.NewRow(th, l.w, theme.Plain).To(1).Put(theme.Name|theme.Bold, label.Plural(len(c.runs), "run"))
			if n := c.kept(); n > 0 {
				r.Put(theme.Sub, " ("+strconv.Itoa(n)+" read earlier)")
			}
			r.Gap(2)
			r.Text(theme.Key, c.filter).Gap(2)
			for i := 0; i < len(c.runs) && r.Left() > 0; i++ {
				if i > 0 {
					r.Put(theme.Sub, ", ")
				}
				r.Text(theme.Text, column.Title(c.runs[i]))
			}
			out = append(out, r.String())
		}
	}
	if room := n - len(out); room > latest.Head { // moments of many runs are not sorted for nothing
		out = append(out, latest.Lines(th, l.moments(), l.scene.HubNow(), l.w, room)...)
	}
	return cell.Pad(out, n)
}

// common is what several runs have in common, as a filter that lists them.
type common struct {
	filter engine.Text
	runs   []*engine.RunView
}

// kept is of how many of the runs that was read earlier, and is not read now.
func (c *common) kept() (n int) {
	for _, v := range c.runs {
		if v.Kept != nil {
			n++
		}
	}
	return n
}

// mostCommon is how many of them are shown.
const mostCommon = 4

// inCommon returns the causes and the clusters of several runs in trouble, the most frequent
// first. hubs is set for those of several hubs. A cause is left out while a member that was not
// read has the reason for one of its runs: their real causes may differ. So may that of a run that isGuessed.
func inCommon(runs []*engine.RunView, hubs bool) (out []common) {
	at, open := map[shared]int{}, map[shared]bool{}
	var keys []shared
	add := func(key shared, v *engine.RunView) {
		i, ok := at[key]
		if !ok {
			i, out, keys = len(out), append(out, common{}), append(keys, key)
			at[key] = i
		}
		out[i].runs = append(out[i].runs, v)
	}
	for _, v := range runs {
		if !v.InTrouble() {
			continue
		}
		if !v.Why.Member.IsZero() {
			key := shared{member: v.Why.Member.Name()}
			if hubs { // another hub has other clusters of the same names
				key.hub = v.ID.Hub().Text()
			}
			add(key, v)
		}
		if !v.Why.Cause.IsZero() && !isGuessed(v) {
			key := shared{cause: v.Why.Cause}
			open[key] = open[key] || v.Why.Recovery == engine.RecoveryUnknown && !v.Why.Unread.IsZero()
			add(key, v)
		}
	}
	for i, key := range keys {
		if open[key] {
			out[i].runs = nil
		}
		if len(out[i].runs) > 1 {
			out[i].filter = key.filter()
		}
	}
	out = slices.DeleteFunc(out, func(c common) bool { return len(c.runs) < 2 })
	sort.SliceStable(out, func(i, j int) bool { return len(out[j].runs) < len(out[i].runs) })
	return out[:min(len(out), mostCommon)]
}

// isGuessed reports whether the cause of a run is that it is stuck until its bindings are read, which say why.
func isGuessed(v *engine.RunView) bool { return v.Word == engine.WordStuck && v.Unread() }

// shared is what runs may have in common: a cluster, of a hub if there are several, or a cause.
type shared struct {
	hub, member engine.Text
	cause       engine.Cause
}

// filter lists the runs that have it.
func (s shared) filter() engine.Text {
	switch {
	case !s.cause.IsZero():
		return engine.Textf("cause:%s", engine.Clean(s.cause.String()))
	case !s.hub.IsZero():
		return engine.Textf("hub:%s cluster:%s", s.hub, s.member)
	}
	return engine.Textf("cluster:%s", s.member)
}

// commonFrom is the height of a list from which what is in common keeps its place when the rows
// do not fit: of many rows that look the same it says the most.
const commonFrom = 30

// commonRows is what a list beside a run keeps for it.
func (l *List) commonRows() int {
	if l.h < commonFrom || len(l.common) == 0 || len(l.rows) < l.h-1 {
		return 0
	}
	return latest.Head + len(l.common)
}

// moments are what happened to the listed runs, in order.
func (l *List) moments() (out []latest.Moment) {
	th := l.scene.Theme
	for _, v := range l.rows {
		for _, m := range latest.Of(th, v) {
			m.Run = cell.Text(th, column.Title(v))
			if len(l.scene.Snap.Hubs) > 0 {
				m.Run = cell.Text(th, engine.Textf("%s %s", v.ID.Hub().Text(), column.Title(v)))
			}
			out = append(out, m)
		}
	}
	latest.Sort(out)
	return out
}
