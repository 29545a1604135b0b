package runlist

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/selection"
)

// Filter returns the filter as it was typed.
func (l *List) Filter() string { return l.filter.Text }

// FilterErr says what of the filter is not understood, or why the API server has not
// evaluated it; empty for nothing.
func (l *List) FilterErr() engine.Text {
	if l.filter.Err.IsZero() {
		return l.labels.Err()
	}
	return l.filter.Err
}

// FilterHelp says what a filter can be, and who evaluates a label selector.
func (l *List) FilterHelp() engine.Text {
	switch {
	case l.reading && l.filter.NeedsRuns():
		return engine.Clean(l.scene.Busy(fmt.Sprintf("reading the details of %s", label.Plural(count(l.scene.Snap.Runs, isRowOnly), "DONE run"))))
	case l.filter.Labels() == "":
		return engine.Lit("words, !not, state:stuck|failed cause:quota age>10m done<50% -l app=web")
	case l.labels.Waits():
		return engine.Clean(l.scene.Busy("the API server evaluates -l"))
	}
	return engine.Lit("-l is evaluated by the API server")
}

// noMatches says why no row is listed.
func (l *List) noMatches() engine.Text {
	unread := engine.Clean(l.unreadText(wideNote))
	switch waits := !unread.IsZero() && (l.OfCauses() || l.filter.NeedsRuns()); {
	case waits && l.typing: // the key ends the field
		return engine.Textf("No matches so far: %s.", unread)
	case waits:
		return engine.Textf("No matches so far: %s; {back} clears the filter.", unread)
	case l.typing:
		return engine.Lit("No matches.")
	case l.problems && !l.filter.On():
		return engine.Lit("No run has a problem; {back} shows all.")
	case l.filter.OfStages():
		return engine.Lit("No matches; {back} clears the filter. Finished runs have no stage:.")
	}
	return engine.Lit("No matches; {back} clears the filter.")
}

// SetFilter lists what a filter admits.
func (l *List) SetFilter(s string) { l.filter = filter.New(s, l.chosen...) }

// StartFilter returns what shows the list as it is now.
func (l *List) StartFilter() (cancel func()) {
	was := l.Listing()
	return func() { l.Return(was) }
}

// Evaluate asks which runs the label selector of the filter selects, when that is not known.
func (l *List) Evaluate() tea.Cmd { return l.labels.Use(l.filter.Labels()) }

// OnSelection takes a message of Evaluate.
func (l *List) OnSelection(msg selection.Msg) { l.labels.Update(msg) }
