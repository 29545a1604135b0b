package filter

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// runs are named by what they are.
func runs() []*engine.RunView {
	run := func(name string, w engine.Word, done, total int, age, since time.Duration) *engine.RunView {
		v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u"), Word: w, Done: done, Total: total, Created: now.Add(-age), Index: engine.Lit("4")}
		if since > 0 {
			v.Since = now.Add(-since)
		}
		return v
	}
	loading := run("loading", engine.WordUnknown, 0, 0, time.Minute, 0)
	loading.Partial, loading.Index = true, engine.Text{}
	return []*engine.RunView{
		run("stuck-web-r1", engine.WordStuck, 4, 10, 2*time.Hour, 8*time.Minute), run("approval-pay-r2", engine.WordApproval, 5, 10, 26*time.Hour, 90*time.Minute),
		run("done-web-r3", engine.WordDone, 120, 120, 72*time.Hour, time.Hour), run("failed-dns-r4", engine.WordFailed, 0, 3, 30*time.Second, 20*time.Second), loading,
	}
}

func TestRun(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "stuck approval done failed loading",
		"web":                     "stuck done",
		"!web":                    "approval failed loading",
		"state:stuck|failed":      "stuck failed",
		"!state:stuck|failed":     "approval done loading",
		"pay|dns":                 "approval failed",
		"run:*-r1|done-*":         "stuck done",
		"age>1d":                  "approval done",
		"age>=1d2h":               "approval done",
		"age<1m":                  "failed",
		"!age<1m":                 "stuck approval done loading",
		"instate>5m":              "stuck approval done", // not known for one that loads
		"waiting>1h":              "approval",
		"clusters>=100":           "done",
		"done<50%":                "stuck failed",
		"done>=50%":               "approval done",
		"done>4":                  "approval done",
		"snapshot>3 clusters<=10": "stuck approval failed",
		"age>1h state:stuck":      "stuck",
		"state:st":                "stuck",
		"state:=stuck":            "stuck",
		"state:late|slow|norun":   "",
		"state:pre*|init-failed":  "",
	} {
		f := New(text)
		if !f.Err.IsZero() {
			t.Errorf("%q: %s", text, f.Err)
		}
		var got []string
		for _, v := range runs() {
			if f.Run(v, now) {
				name, _, _ := strings.Cut(v.ID.RawName(), "-")
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q lists %v, want %s", text, got, want)
		}
	}
}

// TestEqual checks = on figures, and that the name of a kind finds no other kind.
func TestEqual(t *testing.T) {
	all := runs()
	namespaced := *all[3]
	namespaced.ID = engine.NewID(engine.KindStagedUpdateRun, "shop", "shop-r5", "u")
	namespaced.Total = 24
	all = append(all, &namespaced)
	for text, want := range map[string]string{
		"clusters=24":              "shop",
		"clusters==24":             "shop",
		"clusters!=24":             "stuck approval done failed",
		"!clusters=10":             "done failed loading shop",
		"clusters=2":               "",
		"done=100%":                "done",
		"done==50%":                "approval",
		"done=5":                   "approval",
		"stuck=0 snapshot=4":       "stuck approval done failed shop",
		"kind:sur":                 "shop",
		"kind:csur":                "stuck approval done failed loading",
		"kind:StagedUpdateRun":     "shop",
		"kind:stagedupdateruns":    "shop",
		"!kind:sur":                "stuck approval done failed loading",
		"kind:sur|csur":            "stuck approval done failed loading shop",
		"kind:staged":              "stuck approval done failed loading shop",
		"kind:*updaterun":          "stuck approval done failed loading shop",
		"kind:=stagedupdaterun":    "shop",
		"app=web":                  "", // a word
		"snapshot:4 kind:sur shop": "shop",
	} {
		f := New(text)
		if !f.Err.IsZero() {
			t.Errorf("%q: %s", text, f.Err)
		}
		var got []string
		for _, v := range all {
			if f.Run(v, now) {
				name, _, _ := strings.Cut(v.ID.RawName(), "-")
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q lists %v, want %s", text, got, want)
		}
	}
}

// TestRightForm checks that the operator of another field is an error with the right form.
func TestRightForm(t *testing.T) {
	names := []string{"run", "label:team", "label:weight"}
	chosen := column.Chosen(names, column.Fields(names))
	for text, want := range map[string]string{
		"state!=stuck":  "state!=stuck: write !state:stuck",
		"state=stuck":   "state=stuck: write state:stuck",
		"state==stuck":  "state==stuck: write state:stuck",
		"ns=team-web":   "ns=team-web: write ns:team-web",
		"cluster!=eus*": "cluster!=eus*: write !cluster:eus*",
		"strategy>5":    "strategy>5: write strategy:5",
		"age:10m":       "age:10m: write age>10m",
		"instate=1h":    "instate=1h: write instate>1h",
		"waiting:1h":    "waiting:1h: write waiting>1h",
		"done:50%":      "done:50%: write done=50%",
		"clusters=many": "clusters needs a number",
		"clusters=50%":  "clusters needs a number without %",
		"team=web":      "team=web: write team:web",
		"team!=web":     "team!=web: write !team:web",
		"weight=5":      "",
		"weight:5":      "",
	} {
		f := New(text, chosen...)
		if f.Err.String() != want || f.On() != (want == "") {
			t.Errorf("%q: %q, want %q", text, f.Err, want)
		}
	}
}

// What is not understood is said, and leaves the rest of the filter as it is.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"age>10":          "age needs a duration like 10m, 2h or 1d",
		"age>":            "age needs a duration",
		"clusters>many":   "clusters needs a number",
		"clusters=>24":    "clusters=>24: write clusters>=24",
		"done=<50%":       "done=<50%: write done<=50%",
		"age=>10m":        "age=>10m: write age>=10m",
		"clusters=!24":    "clusters=!24: clusters has the operators = != < <= > and >=",
		"clusters><24":    "clusters><24: clusters has the operators = != < <= > and >=",
		"age>>10m":        "age>>10m: age has the operators < <= > and >=",
		"clusters=>":      "clusters=>: clusters has the operators = != < <= > and >=",
		"clusters>50%":    "clusters needs a number without %",
		"clustres>5":      "clustres cannot be compared; nearest: clusters",
		"xyz:stuck":       "unknown field xyz",
		"bogus>5":         "bogus cannot be compared",
		"stat:stuck":      "unknown field stat; nearest: state, stage",
		"web age>10 done": "age needs a duration",
		"done<-1":         "done needs a number",
		"state:stukc":     "no state contains stukc; nearest: stuck",
		"state:done|xyz":  "no state contains xyz",
		`state:"no run"`:  `no state contains "no`,
	} {
		f := New(text)
		if !strings.HasPrefix(f.Err.String(), want) || !strings.Contains(want, "nearest") && strings.Contains(f.Err.String(), "nearest") {
			t.Errorf("%q: %q, want %q", text, f.Err, want)
		}
		if text == "web age>10 done" && (!f.On() || len(f.terms) != 2) {
			t.Errorf("%q keeps %d terms", text, len(f.terms))
		}
	}
}

// Letters in their order find the name of a run where the word itself finds nothing, and
// what is found stands out.
func TestLoosely(t *testing.T) {
	f := New("apvpay")
	loose, ok := f.Loosely()
	if v := runs()[1]; !ok || f.Run(v, now) || !loose.Run(v, now) || loose.Run(runs()[0], now) {
		t.Errorf("loose %v: lists %v, loosely %v", ok, f.Run(v, now), loose.Run(v, now))
	}
	if got, want := loose.Marks("approval-pay-r2"), []int{0, 1, 5, 9, 10, 11}; len(got) != 6 || got[0] != want[0] || !slices.IsSorted(got) {
		t.Errorf("marks %v", got)
	}
	f = New("web state:stuck !x run:*-r1")
	if got := f.Marks("stuck-WEB-r1"); !slices.Equal(got, []int{6, 7, 8}) {
		t.Errorf("marks %v", got)
	}
	for _, text := range []string{"", "!web", "state:stuck", "w*b", "age>1h"} {
		if f := New(text); !f.On() && text != "" {
			t.Errorf("%q is no filter", text)
		} else if _, ok := f.Loosely(); ok {
			t.Errorf("%q has no word to match by its letters", text)
		}
	}
	if f := New("age>1h"); !f.Timed() {
		t.Error("an age does not depend on the time")
	}
	if f := New("web"); f.Timed() {
		t.Error("a word depends on the time")
	}
}

// TestLabels checks what of a filter is a label selector, and that the rest of it lists runs
// as without one.
func TestLabels(t *testing.T) {
	for text, want := range map[string]struct{ labels, rest, err string }{
		"web":                            {rest: "stuck done"},
		"-l app=web":                     {labels: "app=web", rest: "stuck approval done failed loading"},
		"web -l Team=Pay":                {labels: "Team=Pay", rest: "stuck done"},
		"-l team=web,tier!=test !web":    {labels: "team=web,tier!=test", rest: "approval failed loading"},
		"-l team=web, tier!=test web":    {labels: "team=web, tier!=test", rest: "stuck done"},
		"-lteam=web web":                 {labels: "team=web", rest: "stuck done"},
		"-l=team=web web":                {labels: "team=web", rest: "stuck done"},
		"--selector=team web":            {labels: "team", rest: "stuck done"},
		"--selector !team state:failed":  {labels: "!team", rest: "failed"},
		"-l team in (web, pay) web":      {labels: "team in (web, pay)", rest: "stuck done"},
		"-l 'team notin (web),tier' web": {labels: "team notin (web),tier", rest: "stuck done"},
		`-l "tier" web`:                  {labels: "tier", rest: "stuck done"},
		"-l a=b -l c web":                {labels: "a=b,c", rest: "stuck done"},
		"web -l":                         {rest: "stuck done", err: "-l needs a label selector such as app=web"},
		"-l 'a=b web":                    {rest: "stuck approval done failed loading", err: "-l: found 'web'"},
		"web -l =x":                      {rest: "stuck done", err: "-l: found '=', expected: !"},
		"-l a in (":                      {rest: "stuck approval done failed loading", err: "-l: found ''"},
		"-l a==":                         {labels: "a==", rest: "stuck approval done failed loading"}, // an empty value
		"--select":                       {},
		"state:stukc -l a=b":             {labels: "a=b", rest: "stuck approval done failed loading", err: "no state contains stukc; nearest: stuck"},
	} {
		f := New(text)
		if f.Labels() != want.labels || f.Err.String() != want.err && !strings.HasPrefix(f.Err.String(), want.err+",") {
			t.Errorf("%q: selector %q, error %q", text, f.Labels(), f.Err)
		}
		var got []string
		for _, v := range runs() {
			if f.Run(v, now) {
				name, _, _ := strings.Cut(v.ID.RawName(), "-")
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want.rest {
			t.Errorf("%q lists %v, want %s", text, got, want.rest)
		}
	}
	if f := New("-l a=b"); !f.On() {
		t.Error("a label selector alone is no filter")
	}
}

// TestNeedsRuns checks which filters depend on more of a run that has succeeded than its row.
func TestNeedsRuns(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "web": false, "!web": false, "state:done": false, "run:web*": false, "placement:web ns:team": false, "strategy:slow": false,
		"kind:csur": false, "age>10m": false, "waiting>1h": false, "hub:eu": false, "stage:prod": false, "-l app=web": false,
		"stuck>0": false, "updating>1": false, "stuck<50%": false, "clusters>100": true, "done<50%": false, "done<50": true, "instate>1h": true, "snapshot=4": true, "snapshot:4": true,
		"web why:quota": true, "cause:quota": true, "cluster:eu-1": true, "!clusters=10": true, "clusters:1000": true,
	} {
		f := New(text)
		if got := f.NeedsRuns(); got != want || !f.Err.IsZero() {
			t.Errorf("%q: %v, %s", text, got, f.Err)
		}
	}
	names := []string{"label:team"}
	chosen := column.Chosen(names, column.Fields(names))
	for text, want := range map[string]bool{"": false, "web": true, "state:done": false, "team:a": true} {
		f := New(text, chosen...)
		if got := f.NeedsRuns(); got != want || !f.Err.IsZero() {
			t.Errorf("with a column of labels, %q: %v, %s", text, got, f.Err)
		}
	}
}

// TestSharesOfADoneRun checks that a share of the clusters is known of a run that is DONE, also if only its row was read.
func TestSharesOfADoneRun(t *testing.T) {
	row := &engine.RunView{Word: engine.WordDone, Terminal: true, Partial: true, RowOnly: true}
	whole := &engine.RunView{Word: engine.WordDone, Terminal: true, Done: 3, Stuck: 1, Total: 4} // contradicts itself
	for text, want := range map[string]bool{
		"done<50%": false, "done<=100%": true, "done=100%": true, "done!=100%": false, "done>=50%": true,
		"stuck<50%": true, "stuck>0%": false, "updating=0%": true, "!updating=0%": false, "done=100": false,
	} {
		f := New(text)
		if got := f.Run(row, time.Time{}); got != want || !f.Err.IsZero() {
			t.Errorf("%q of a row: %v, %s", text, got, f.Err)
		}
		if got := f.Run(whole, time.Time{}); got != want {
			t.Errorf("%q of the whole run: %v", text, got)
		}
	}
}
