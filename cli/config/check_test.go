package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine/column"
)

// TestProblems checks that every error of a file has its line, and the nearest name that exists.
func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing wrong", "mouse: on\nnotify:\nhubs: [a, 'b*']\nmemberQueries: off\ntheme: nord\n", nil},
		{"a misspelt key", "notify: true\n\nmose: true\n", []string{`unknown key "mose" in line 3: did you mean "mouse"?`}},
		{"a key like no other", "colour: red\n", []string{`unknown key "colour" in line 1: use contexts, hubs, mouse, notify, notifications, members, keys, themes, theme, columns, views, layout, memberQueries`}},
		{"all errors in the order of the lines", "mouse: maybe\nhubs: a\ncontexts:\n  a: {readonly: true}\n  b: 1\nmembers: {a: [x]}\n", []string{
			"mouse in line 1 must be true or false",
			"hubs in line 2 must be a list",
			`unknown key "readonly" in line 4: did you mean "readOnly"?`,
			"contexts.b in line 5 must be a mapping with the keys readOnly, protected, alias, colour, favourite",
			"members.a in line 6 must be a text",
		}},
		{"a value that is none", "theme: drakula\nmemberQueries: sometimes\nlayout: four\n", []string{
			`unknown theme "drakula" in line 1: did you mean "dracula"?`, `unknown memberQueries "sometimes" in line 2: use auto, off`, `unknown layout "four" in line 3: use auto, one, two`,
		}},
		{"a key twice", "mouse: true\nmouse: false\n", []string{`key "mouse" in line 2 is already in line 1`}},
		{"an alias", "contexts:\n  a: &a {readOnly: x}\n  b: *a\n", []string{"contexts.a.readOnly in line 2 must be true or false", "contexts.b.readOnly in line 2 must be true or false"}},
		{"views", "views:\n  mine:\n    fliter: x\n    filter: stat:stuck\n  bad: {sort: agee}\n  none: {}\n", []string{
			`unknown key "fliter" in line 3: did you mean "filter"?`, `views.mine.filter in line 4: unknown field stat; nearest: state, stage`,
			`unknown views.bad.sort "agee" in line 5: did you mean "age"?`, `"none" in line 6 cannot be the name of a view`,
		}},
		{"columns", "columns: [state, label:app, run, annotation:a/b, cause, hub, 'jsonpath:Ready:.status.conditions[?(@.type==\"Succeeded\")].status']\n", nil},
		{"contexts", "contexts:\n  a: {alias: prod, colour: red, favourite: true}\n  b*: {colour: magenta}\n  c: {alias: c}\n", nil},
		{"wrong contexts", "contexts:\n  a: {alias: b, colour: redd}\n  b: {alias: x}\n  c*: {alias: y}\n  d: {alias: x}\n  e: {alias: 'm,n'}\n", []string{
			`contexts.a.alias in line 2: "b" is the name of another context`, `contexts.c*.alias in line 4: an alias names one context, but "c*" can match several`,
			`contexts.d.alias in line 5: "x" is already an alias in line 3`, "contexts.e.alias in line 6 cannot contain a comma", `unknown contexts.a.colour "redd" in line 2: did you mean "red"?`,
		}},
		{"a filter in place of a view, a mapping in place of a column", "views:\n  mine: state:stuck\ncolumns:\n- run\n- TEAM: team\n", []string{
			"views.mine in line 2 must be a mapping with the keys filter, sort, descending", "columns in line 5 must be a text, such as label:KEY, annotation:KEY, jsonpath:HEAD:PATH",
		}},
		{"views by fields", "views: {mine: {filter: 'team:web weight>3', sort: team}}\ncolumns: [run, label:a/team, jsonpath:WEIGHT:.spec.weight]\n", nil},
		{"views by unknown fields", "views: {mine: {filter: 'team:web', sort: team}}\ncolumns: [run, label:a/tea]\n", []string{
			"views.mine.filter in line 1: unknown field team; nearest: tea", `unknown views.mine.sort "team" in line 1: did you mean "tea"?`,
		}},
		{"JSONPaths", "columns:\n- run\n- jsonpath:A:.a[\n- jsonpath:.b\n- 'jsonpath::.b'\n", []string{
			`columns in line 3 has an invalid JSONPath ".a[": unterminated array`,
			`unknown column "jsonpath:.b" in line 4: use COLUMNS, label:KEY, annotation:KEY, jsonpath:HEAD:PATH`,
			`unknown column "jsonpath::.b" in line 5: use COLUMNS, label:KEY, annotation:KEY, jsonpath:HEAD:PATH`,
		}},
		{"wrong columns", "columns: [state, state,\n  clsters, 'label:']\n", []string{
			`unknown column "clsters" in line 2: did you mean "clusters"?`,
			`unknown column "label:" in line 2: did you mean "label:KEY"?`,
			`columns in line 1 has "state" twice`, `columns in line 1 must have the column "run"`,
		}},
		{"keys", "keys:\n  preset: vim\n  bind: {approve: P, run: [A], help: [f1, '?'], next-stage: ctrl-n}\n", nil},
		{"wrong keys", "keys:\n  preset: emacs\n  bind:\n    aprove: P\n    approve: p\n    stop: {key: S}\n    help: []\n    run:\n    - ctl-r\n", []string{
			`unknown keys.preset "emacs" in line 2: use default, k9s, vim`, `unknown action "aprove" in line 4: did you mean "approve"?`,
			`keys.bind in line 5: approve cannot use key "p": an action that writes needs a single upper-case letter`,
			"keys.bind.stop in line 6 must be a key or a list of keys", "keys.bind in line 7: help needs a key",
			`keys.bind in line 9: "ctl-r" is not a key: write a character, or a name such as ctrl-d, enter, pgdn or f5`,
		}},
		{"a key for two actions", "keys:\n  bind:\n    clone: T\n    approve: S\n    filter: '%'\n    mouse: m\n", []string{
			`keys.bind in line 4: key "S" is bound to approve and to stop in the list of runs; bind one of them to another key`,
			`keys.bind in line 6: key "m" is bound to member and to mouse in the list of runs; bind one of them to another key`,
		}},
		{"a key of an action that has others", "keys: {bind: {filter: [ctrl-f]}}\n", nil},
		{"keys of a preset", "keys: {preset: k9s, bind: {mark: l}}\n", []string{`keys.bind in line 1: key "l" is bound to logs and to mark in the list of runs; bind one of them to another key`}},
		{"notifications", "notifications: {desktop: osc777, exec: [page, -x], quiet: '22:00-07:00'}\n", nil},
		{"wrong notifications", "notifications:\n  desktop: osc99\n  exec: page -x\n  quiet: 22-7\n  bell: loud\n", []string{
			`unknown notifications.desktop "osc99" in line 2: did you mean "osc9"?`, "notifications.exec in line 3 must be a list",
			"notifications.quiet in line 4 must be hours such as 22:00-07:00", "notifications.bell in line 5 must be true or false",
		}},
		{"own themes", "themes:\n  mine: {base: nord, colours: {problem: '#ff0000', done: 10, cursor: \"236\"}}\ntheme: mine\n", nil},
		{"wrong themes", "themes:\n  nord: {}\n  mine: {base: nrd, colours: {problm: '#ff0000', done: red, text: '#fff'}}\ntheme: mne\n", []string{
			`"nord" in line 2 is a built-in theme: choose another name`, `unknown themes.mine.base "nrd" in line 3: did you mean "nord"?`,
			`unknown colour "problm" in line 3: did you mean "problem"?`, `themes.mine.colours.done in line 3 must be a colour: "#rrggbb" in quotes, or 0 to 255`,
			`themes.mine.colours.text in line 3 must be a colour: "#rrggbb" in quotes, or 0 to 255`, `unknown theme "mne" in line 4: did you mean "mine"?`,
		}},
		{"no mapping", "- mouse\n", []string{"the configuration in line 1 must be a mapping with the keys contexts, hubs, mouse, notify, notifications, members, keys, themes, theme, columns, views, layout, memberQueries"}},
		{"a merge key", "contexts:\n  a: &a {readOnly: true}\n  b: {<<: *a}\n", []string{"contexts.b in line 3 has a key that is not a name"}},
	} {
		_, err := Parse("config.yaml", []byte(tt.in))
		var wrong *Invalid
		if got := errors.As(err, &wrong); got != (tt.want != nil) || got && !slices.Equal(problems(wrong), tt.want) {
			t.Errorf("%s: %v, %q, want %q", tt.name, err, problems(wrong), tt.want)
		}
	}
}

// more is how many fields are not listed.
var more = regexp.MustCompile(` and \d+ more`)

// problems are those of an error, none without one. Which columns there are is not what
// they are about: COLUMNS stands for all names, N for their number.
func problems(e *Invalid) []string {
	if e == nil {
		return nil
	}
	var names, out []string
	for _, c := range column.All() {
		names = append(names, c.Name)
	}
	for _, p := range e.Problems {
		out = append(out, more.ReplaceAllString(strings.Replace(p, strings.Join(names, ", "), "COLUMNS", 1), " and N more"))
	}
	return out
}
