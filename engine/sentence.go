package engine

import "strings"

// StageName returns "stage prod", or "the deletion stage".
func StageName(s *StageView) Text {
	switch {
	case s == nil:
		return Lit("no stage")
	case s.Deletion:
		return Lit("the deletion stage")
	}
	return Textf("stage %s", s.Name)
}

// BeforeAfter returns on which side of its stage a gate stands.
func BeforeAfter(g *GateView) Text {
	if g.Before {
		return Lit("before")
	}
	return Lit("after")
}

// Count returns "1 cluster", "3 clusters".
func Count(n int, what literal) Text {
	if n == 1 {
		return Textf("1 %s", Lit(what))
	}
	return Textf("%d %ss", n, Lit(what))
}

// Size returns "512 B", "40 KiB", "12 MiB".
func Size(bytes int64) Text {
	switch {
	case bytes < 10<<10:
		return Textf("%d B", bytes)
	case bytes < 10<<20:
		return Textf("%d KiB", bytes>>10)
	}
	return Textf("%d MiB", bytes>>20)
}

// Are returns "1 cluster is", "3 clusters are", "no cluster is".
func Are(n int, what literal) Text {
	switch n {
	case 0:
		return Textf("no %s is", Lit(what))
	case 1:
		return Textf("1 %s is", Lit(what))
	}
	return Textf("%d %ss are", n, Lit(what))
}

// Concurrency renders how many clusters of a stage may update at the same time, the
// same way everywhere: "max 2".
func Concurrency(atOnce int) Text { return Textf("max %d", atOnce) }

// Capital returns the sentence with its first letter in upper case.
func Capital(t Text) Text {
	if t.s != "" && t.s[0] >= 'a' && t.s[0] <= 'z' {
		return Text{s: string(t.s[0]-'a'+'A') + t.s[1:]}
	}
	return t
}

// Uncapital returns the clause with its first letter in lower case, unless it
// begins with the name of a kind.
func Uncapital(t Text) Text {
	word, _, _ := strings.Cut(t.s, " ")
	switch word {
	case "The", "A", "After", "An", "No", "Member", "Cluster", "Admission", "Namespace", "Overrides", "Differences", "Resource", "Stage", "Finalizer", "Finalizers", "Run", "Binding":
		return Text{s: string(t.s[0]-'A'+'a') + t.s[1:]}
	}
	return t
}

// OrUnknown returns the text, or "unknown" when it is empty.
func OrUnknown(t Text) Text {
	if t.IsZero() {
		return Lit("unknown")
	}
	return t
}

// Enumerate names up to limit things and counts the rest.
func Enumerate(names []Text, limit int) Text {
	if len(names) > limit {
		return Textf("%s and %d more", Join(names[:limit], ", "), len(names)-limit)
	}
	if len(names) < 2 {
		return Join(names, "")
	}
	return Textf("%s and %s", Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// CleanAll cleans raw strings.
func CleanAll(raw []string) []Text {
	out := make([]Text, len(raw))
	for i, s := range raw {
		out[i] = Clean(s)
	}
	return out
}
