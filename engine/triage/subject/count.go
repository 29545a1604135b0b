package subject

import "github.com/stagewatch/stagewatch/engine"

// Agree returns the word that agrees with n things: one for 1, else many.
func Agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// CountOf returns how many of all clusters are meant: "1 of 3 clusters", "all 3 clusters",
// "both clusters", "the only cluster". Agree gives the verb.
func CountOf(n, total int) engine.Text {
	switch {
	case n != total:
		return engine.Textf("%d of %s", n, engine.Count(total, "cluster"))
	case n == 1:
		return engine.Lit("the only cluster")
	case n == 2:
		return engine.Lit("both clusters")
	}
	return engine.Textf("all %s", engine.Count(n, "cluster"))
}
