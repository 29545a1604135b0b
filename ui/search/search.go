// Package search is what is looked for in the lines of a text or of a page, and at which of them
// the search is. The viewport of Bubbles can highlight, but it finds the place of a match in text
// without styles, and these lines have some.
package search

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
)

// Search is what is looked for, upper and lower case alike.
type Search struct {
	words string // in lower case, with its spaces
	hits  []int  // lines that have it, top to bottom
	at    int    // the hit that is shown
}

// Filter returns what is looked for; / types it as it types the filter of a list.
func (s *Search) Filter() string { return s.words }

// FilterErr is empty: any words can be looked for.
func (s *Search) FilterErr() engine.Text { return engine.Text{} }

// FilterHelp says how to go from match to match.
func (s *Search) FilterHelp() engine.Text {
	return engine.Lit("{filter-keep} keep, then {next-match} {previous-match} next and previous; {filter-cancel} cancel")
}

// Look changes what is looked for. The lines that had it stay until List.
func (s *Search) Look(words string) { s.words = strings.ToLower(words) }

// Has reports whether a text has what is looked for; false without words.
func (s *Search) Has(text string) bool {
	return s.words != "" && strings.Contains(strings.ToLower(text), s.words)
}

// List sets which lines have what is looked for, top to bottom. The search stays at the match of
// the same number, as far as there are so many.
func (s *Search) List(hits []int) {
	s.hits = hits
	s.at = max(0, min(s.at, len(hits)-1))
}

// Begin goes to the first line for which is holds; to the first of all if it holds for none.
func (s *Search) Begin(is func(line int) bool) {
	s.at = 0
	for i, line := range s.hits {
		if is(line) {
			s.at = i
			return
		}
	}
}

// Resume goes to the last match that is not below a line: that of before, where others came below.
func (s *Search) Resume(line int) {
	s.at = 0
	for i, hit := range s.hits {
		if hit <= line {
			s.at = i
		}
	}
}

// Line is the line that the search is at; -1 for none.
func (s *Search) Line() int {
	if len(s.hits) == 0 {
		return -1
	}
	return s.hits[s.at]
}

// Found returns the number of the match that the search is at, from 1, and how many lines match.
func (s *Search) Found() (at, of int) { return min(s.at+1, len(s.hits)), len(s.hits) }

// Next goes to the next or the previous match, as a key says, around the ends. It reports whether
// the key does that and there is one.
func (s *Search) Next(a keymap.Action) bool {
	n := len(s.hits)
	switch {
	case n == 0:
		return false
	case a == keymap.NextMatch:
		s.at = (s.at + 1) % n
	case a == keymap.PrevMatch:
		s.at = (s.at + n - 1) % n
	default:
		return false
	}
	return true
}
