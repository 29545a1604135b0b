//go:build linux || darwin

package cli_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a history may not show (docs/promises.md).
const (
	oldestLive  = 10 * time.Second // of a row below a header that says live
	recoverMost = 5 * time.Second  // after the last fault
)

// frame is what the terminal showed from a moment until the next frame.
type frame struct {
	at time.Time
	// live says that the header claims to be current.
	live bool
	// rows are the clusters done of the runs on the screen, by name.
	rows map[string]int
	// runs is the number of runs in the header, -1 while it is not a count of all.
	runs int
	// screen is what was read.
	screen string
}

// version is what the hub had of a run from a moment on.
type version struct {
	at   time.Time
	run  string
	done int
}

// stopped is a write that the hub accepted.
type stopped struct {
	at  time.Time
	run string
}

// told is one record of the audit log.
type told struct {
	Result string `json:"result"`
	Target struct {
		Name string `json:"name"`
	} `json:"target"`
}

// chronicle is what happened between a program, a person and a hub.
type chronicle struct {
	frames   []frame
	versions []version
	runs     int // how many runs the hub has
	// confirmed are the runs of the dialogs that the person confirmed.
	confirmed []string
	written   []stopped
	audit     []told
	raw       string
	screen    string    // at the end
	healed    time.Time // from then on no fault disturbs anything
	end       time.Time
}

var (
	headerLive = regexp.MustCompile(`^ \S.*● live (\d+m)?\d+s`)
	// oldPage is the line of a page that names when it was read.
	oldPage    = regexp.MustCompile(` as of \d\d:\d\d:\d\d`)
	headerRuns = regexp.MustCompile(`[^f] (\d+) runs`)
	listedRow  = regexp.MustCompile(`\b(h-\d+) .*?\b(\d+)/40\b`)
)

// read makes a frame of a screen.
func readFrame(at time.Time, screen string) frame {
	lines := strings.Split(screen, "\n")
	f := frame{at: at, live: headerLive.MatchString(lines[0]), rows: map[string]int{}, runs: -1, screen: screen}
	if m := headerRuns.FindStringSubmatch(lines[0]); m != nil && !strings.Contains(lines[0], "so far") {
		fmt.Sscan(m[1], &f.runs)
	}
	if len(lines) > 1 && oldPage.MatchString(lines[1]) {
		return f // it says that its rows are old
	}
	for _, l := range lines[1:] {
		if strings.ContainsAny(l, "│┃") {
			continue // panes: what stands in a line is about two runs
		}
		if m := listedRow.FindStringSubmatch(l); m != nil {
			var n int
			fmt.Sscan(m[2], &n)
			f.rows[m[1]] = n
		}
	}
	return f
}

// replaced is when the hub had a later version of a run than done; ok is false if never.
func (c *chronicle) replaced(run string, done int) (at time.Time, ok bool) {
	for _, v := range c.versions {
		if v.run == run && v.done > done {
			return v.at, true
		}
	}
	return at, false
}

// check returns what of a chronicle breaks a promise.
func (c *chronicle) check() []error {
	return slices.Concat(c.checkFresh(), c.checkRecovery(), c.checkOrder(), c.checkCounts(), c.checkWrites(), c.checkBytes())
}

// checkFresh: no frame says live with a row older than ten seconds (I1). A frame stands
// until the next one.
func (c *chronicle) checkFresh() (bad []error) {
	for i, f := range c.frames {
		if !f.live {
			continue
		}
		until := c.end
		if i+1 < len(c.frames) {
			until = c.frames[i+1].at
		}
		for run, done := range f.rows {
			if at, ok := c.replaced(run, done); ok && until.Sub(at) > oldestLive {
				bad = append(bad, fmt.Errorf("live with %s at %d, which was old for %s", run, done, until.Sub(at).Round(time.Millisecond)))
			}
		}
	}
	return bad
}

// checkRecovery: the screen equals the hub soon after the last fault, and stays so (I2).
func (c *chronicle) checkRecovery() (bad []error) {
	last := frame{}
	if n := len(c.frames); n > 0 {
		last = c.frames[n-1]
	}
	if len(last.rows) == 0 {
		return []error{fmt.Errorf("nothing is on the screen at the end:\n%s", c.screen)}
	}
	for i := range c.frames {
		f := c.frames[i]
		until := c.end
		if i+1 < len(c.frames) {
			until = c.frames[i+1].at
		}
		if !until.After(c.healed.Add(recoverMost)) {
			continue
		}
		if !f.live {
			bad = append(bad, fmt.Errorf("not live %s after the last fault", until.Sub(c.healed).Round(time.Millisecond)))
		}
		for run, done := range f.rows {
			if at, ok := c.replaced(run, done); ok && until.Sub(at) > recoverMost {
				bad = append(bad, fmt.Errorf("%s at %d, %s after the last fault", run, done, until.Sub(c.healed).Round(time.Millisecond)))
			}
		}
	}
	return bad
}

// checkOrder: no older version follows a newer one (I3). The hub is never reset here.
func (c *chronicle) checkOrder() (bad []error) {
	newest := map[string]int{}
	for i, f := range c.frames {
		for run, done := range f.rows {
			if done < newest[run] {
				bad = append(bad, fmt.Errorf("%s went from %d back to %d, from\n%s\nto\n%s", run, newest[run], done, c.frames[i-1].screen, f.screen))
			}
			newest[run] = max(newest[run], done)
		}
	}
	return bad
}

// checkCounts: the number of runs comes from a complete list only (I4).
func (c *chronicle) checkCounts() (bad []error) {
	for _, f := range c.frames {
		if f.runs >= 0 && f.runs != c.runs {
			bad = append(bad, fmt.Errorf("the header counts %d runs, the hub has %d", f.runs, c.runs))
		}
	}
	return bad
}

// checkWrites: at most one write for each dialog that was confirmed, only to its run, and
// each with its outcome in the audit log (I7, I8, I10).
func (c *chronicle) checkWrites() (bad []error) {
	left := slices.Clone(c.confirmed)
	for _, w := range c.written {
		i := slices.Index(left, w.run)
		if i < 0 {
			bad = append(bad, fmt.Errorf("%s was stopped and no dialog asked for it was confirmed (%q)", w.run, c.confirmed))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	open := map[string]int{}
	for _, r := range c.audit {
		if r.Result == "sending" {
			open[r.Target.Name]++
		} else {
			open[r.Target.Name]--
		}
	}
	for name, n := range open {
		if n != 0 {
			bad = append(bad, fmt.Errorf("the audit log has %d writes to %s without an outcome", n, name))
		}
	}
	sent := 0
	for _, r := range c.audit {
		if r.Result == "sending" {
			sent++
		}
	}
	if sent < len(c.written) {
		bad = append(bad, fmt.Errorf("%d writes, and %d in the audit log", len(c.written), sent))
	}
	return bad
}

// ownBytes are the sequences and characters that the program writes: CSI, the title, the
// clipboard, queries of the terminal, and printable text.
var ownBytes = regexp.MustCompile(`\x1b\[[0-9;?>=<$ ]*[@-~]|\x1b\](?:0|2|9|10|11|52|112);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\](?:10|11|12);\?(?:\x07|\x1b\\)|\x1bP[+$]q[0-9a-fA-F;]*\x1b\\|\x1b[=>78M]|[\r\n\x08\t\x07\x0e\x0f]|[^\x00-\x1f\x7f-\x9f]`)

// hostile is in the objects of the hub, and a terminal would obey it.
const hostile = "\x1b]0;owned\x07\x1b[2Jowned\x9b31m"

// checkBytes: nothing of the hub's text reaches the terminal as a sequence (I13).
func (c *chronicle) checkBytes() (bad []error) {
	if rest := ownBytes.ReplaceAllString(c.raw, ""); rest != "" {
		at := strings.Index(ownBytes.ReplaceAllStringFunc(c.raw, func(own string) string { return strings.Repeat("_", len(own)) }), rest[:1])
		bad = append(bad, fmt.Errorf("the terminal got %.200q, first in %q", rest, c.raw[at:min(len(c.raw), at+20)]))
	}
	if strings.Contains(c.raw, "\x1b]0;owned") || strings.Contains(c.raw, "\x1b[2Jowned") {
		bad = append(bad, fmt.Errorf("text of the hub moved the terminal"))
	}
	return bad
}

// Each check finds the lie that it is there for.
func TestAChronicleIsChecked(t *testing.T) {
	t0 := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	good := func() *chronicle {
		return &chronicle{
			frames: []frame{
				{at: at(0), live: true, rows: map[string]int{"h-0": 1}, runs: 1},
				{at: at(4), rows: map[string]int{"h-0": 1}, runs: 1},
				{at: at(21), live: true, rows: map[string]int{"h-0": 2}, runs: 1},
			},
			versions:  []version{{at(-1), "h-0", 1}, {at(3), "h-0", 2}},
			runs:      1,
			confirmed: []string{"h-0"}, written: []stopped{{at(5), "h-0"}},
			audit:  []told{record("sending", "h-0"), record("applied", "h-0")},
			raw:    "\x1b[?1049h\x1b]2;stagewatch\x07\x1b[1;31mSTUCK\x1b[m ● live\r\n",
			healed: at(20), end: at(30),
		}
	}
	if bad := good().check(); len(bad) > 0 {
		t.Fatalf("a good chronicle: %v", bad)
	}
	for name, tt := range map[string]struct {
		lie  func(*chronicle)
		want string
	}{
		"an old row below live":       {func(c *chronicle) { c.frames[1].live = true }, "live with h-0 at 1"},
		"no recovery":                 {func(c *chronicle) { c.frames[2].rows["h-0"] = 1; c.frames[2].live = false }, "after the last fault"},
		"nothing on the screen":       {func(c *chronicle) { c.frames[2].rows = nil }, "nothing is on the screen"},
		"an older version":            {func(c *chronicle) { c.frames[1].rows["h-0"] = 3 }, "h-0 went from 3 back to 2"},
		"a count of a part":           {func(c *chronicle) { c.frames[0].runs = 3 }, "the header counts 3 runs"},
		"two writes for one dialog":   {func(c *chronicle) { c.written = append(c.written, c.written[0]) }, "no dialog asked for it was confirmed"},
		"a write to another run":      {func(c *chronicle) { c.written[0].run = "h-1" }, "h-1 was stopped"},
		"no outcome":                  {func(c *chronicle) { c.audit = c.audit[:1] }, "without an outcome"},
		"a write without a record":    {func(c *chronicle) { c.audit = nil }, "1 writes, and 0 in the audit log"},
		"a title of the hub":          {func(c *chronicle) { c.raw += "\x1b]0;owned\x07" }, "moved the terminal"},
		"a control character":         {func(c *chronicle) { c.raw += "\x00" }, `the terminal got "\x00"`},
		"a control character of C1":   {func(c *chronicle) { c.raw += "\u009b" }, "the terminal got"},
		"another sequence of the hub": {func(c *chronicle) { c.raw += "\x1bcreset" }, "the terminal got"},
	} {
		c := good()
		tt.lie(c)
		found := ""
		for _, err := range c.check() {
			found += err.Error() + "\n"
		}
		if !strings.Contains(found, tt.want) {
			t.Errorf("%s: found %q, want %q", name, found, tt.want)
		}
	}
}

func record(result, name string) told {
	r := told{Result: result}
	r.Target.Name = name
	return r
}

func TestFramesAreRead(t *testing.T) {
	f := readFrame(time.Time{}, " demo  admin  127.0.0.1:1        ● live 3s   4 runs   ? help\n\n ▸ RUNNING  h-2   web   7  ━━━  1/1 ring  12/40  3s\n ▸ RUNNING  h-3  ━━━  9/40  3s\n")
	if !f.live || f.runs != 4 || f.rows["h-2"] != 12 || f.rows["h-3"] != 9 || len(f.rows) != 2 {
		t.Errorf("%+v", f)
	}
	f = readFrame(time.Time{}, " demo  admin  127.0.0.1:1        ● live 3s   4 runs   ? help\n Runs › owners web      as of 10:00:03\n   h-2  RUNNING  7  12/40\n")
	if !f.live || len(f.rows) != 0 {
		t.Errorf("%+v", f)
	}
	f = readFrame(time.Time{}, " demo  admin    RECONNECTING 8s   loading, 3 runs so far   ? help\n")
	if f.live || f.runs != -1 {
		t.Errorf("%+v", f)
	}
}
