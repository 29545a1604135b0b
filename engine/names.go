package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// namesShown is how many of the names that exist a text lists.
const namesShown = 5

// Nearest lists names by how much they differ from the one that was meant, the
// most similar first.
func Nearest(meant string, names []string) Text {
	return Enumerate(Similar(meant, names), namesShown)
}

// Closest lists the three names that differ least from the one that was meant.
func Closest(meant string, names []string) Text {
	near := Similar(meant, names)
	return Join(near[:min(3, len(near))], ", ")
}

// Similar returns names, each once, by how much they differ from the one that was meant, the most
// similar first.
func Similar(meant string, names []string) []Text {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(levenshtein.ComputeDistance(meant, a)-levenshtein.ComputeDistance(meant, b), strings.Compare(a, b))
	})
	names = slices.Compact(names)
	out := make([]Text, len(names))
	for i, n := range names {
		out[i] = Clean(n)
	}
	return out
}

// farthest is how many letters a name may differ from the one that is suggested.
const farthest = 2

// DidYouMean returns the name that is similar to the one that was meant as the beginning of
// a hint, with a space after it; nothing if none is similar.
func DidYouMean(meant string, names []string) Text {
	near := Similar(meant, names)
	meant = strings.TrimLeft(strings.ToLower(meant), "-") // of a flag
	if len(near) == 0 || len(meant) < 2 {
		return Text{}
	}
	name := strings.TrimLeft(near[0].String(), "-")
	// Of a short word, two other letters leave little: it begins as the name does.
	if d := levenshtein.ComputeDistance(meant, name); d > farthest || d == farthest && len(meant) < 6 && !strings.HasPrefix(name, meant[:1]) {
		return Text{}
	}
	return Textf("did you mean %q? ", near[0])
}
