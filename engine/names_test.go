package engine

import "testing"

// TestSuggestsNearNamesOnly suggests names that a person may have meant, and none where all are
// far away.
func TestSuggestsNearNamesOnly(t *testing.T) {
	commands := []string{"last", "clone", "cluster", "clear", "get", "wait", "logs", "timeline", "approve", "approvals", "--all-namespaces", "--namespace"}
	for meant, want := range map[string]string{
		"aliases":          "",
		"edit":             "",
		"top":              "",
		"xyz":              "",
		"x":                "",
		"clne":             "clone",
		"tmieline":         "timeline",
		"approv":           "approve",
		"log":              "logs",
		"cl":               "clear, clone, cluster",
		"--all":            "--all-namespaces",
		"--namspaces":      "--namespace",
		"--ALL-NAMESPACES": "--all-namespaces",
	} {
		if want != "" {
			want = "; nearest: " + want
		}
		got := Closest(meant, commands).String()
		if meant == "approv" {
			want += ", approvals"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", meant, got, want)
		}
		if like := DidYouMean(meant, commands); like.IsZero() != (want == "") {
			t.Errorf("did you mean for %q: %q", meant, like)
		}
	}
}
