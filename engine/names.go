package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest lists names by how much they differ from the one that was meant, the most similar first.
func Nearest(meant string, names []string) Text {
	return Enumerate(Similar(meant, names), 5)
}

// Closest ends a sentence about an unknown name with at most three that are near to it.
func Closest(meant string, names []string) Text {
	if all := Near(meant, names); len(all) > 0 {
		return Textf("; nearest: %s", Join(all[:min(3, len(all))], ", "))
	}
	return Text{}
}

// Similar returns names, each once, by how much they differ from the one that was meant, the most
// similar first.
func Similar(meant string, names []string) []Text {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(levenshtein.ComputeDistance(meant, a)-levenshtein.ComputeDistance(meant, b), strings.Compare(a, b))
	})
	return CleanAll(slices.Compact(names))
}

// Near are the names that may be meant by another one, the most similar first: it is how they
// begin, or differs in one letter, a longer one in two.
func Near(meant string, names []string) []Text {
	meant = strings.TrimLeft(strings.ToLower(meant), "-") // of a flag
	return slices.DeleteFunc(Similar(meant, names), func(n Text) bool {
		name := strings.TrimLeft(strings.ToLower(n.s), "-")
		d, most := levenshtein.ComputeDistance(meant, name), 1
		if len(meant) > 5 || len(meant) > 2 && strings.HasPrefix(name, meant[:1]) {
			most = 2
		}
		return len(meant) < 2 || d > most && !strings.HasPrefix(name, meant)
	})
}

// DidYouMean returns the name that is similar to the one that was meant as the beginning of
// a hint, with a space after it; nothing if none is similar.
func DidYouMean(meant string, names []string) Text {
	if near := Near(meant, names); len(near) > 0 {
		return Textf("did you mean %q? ", near[0])
	}
	return Text{}
}
