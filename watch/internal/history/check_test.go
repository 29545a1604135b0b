package history

import (
	"strings"
	"testing"
	"time"
)

// TestARecordIsChecked checks that each check finds the lie that it is there for.
func TestARecordIsChecked(t *testing.T) {
	t0 := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	runs := func(version string) map[string]string { return map[string]string{"run-0": version, "team/run-0": "7"} }
	stale := map[string]bool{"run-0": true, "team/run-0": true}
	good := func() *Record {
		return &Record{
			States: []State{{At: at(-60), Runs: runs("1")}, {At: at(3), Runs: runs("2")}},
			Frames: []Frame{
				{At: at(0), Live: true, Complete: true, Runs: runs("1")},
				{At: at(5), Runs: runs("1"), Stale: stale}, // a fault
				{At: at(31), Live: true, Complete: true, Runs: runs("2")},
			},
			Healthy: [][2]time.Time{{at(-60), at(2)}, {at(30), at(50)}},
			End:     at(50), MostLists: 1, Requests: 100,
		}
	}
	if bad := Check(good()); len(bad) > 0 {
		t.Fatalf("a good record: %v", bad)
	}
	for name, tt := range map[string]struct {
		lie  func(*Record)
		want string
	}{
		"live with an old row":         {func(r *Record) { r.Frames[1].Live, r.Frames[1].Complete = true, true }, "I1: at 31s the screen is live with run-0@1"},
		"live without a row":           {func(r *Record) { r.Frames[2].Runs = map[string]string{"run-0": "2"} }, "I1: at 50s the screen is live with team/run-0@"},
		"live with a row of the past":  {func(r *Record) { r.Frames[2].Runs["gone"] = "1" }, "I1: at 50s the screen is live with gone@1"},
		"an old row that looks recent": {func(r *Record) { r.Frames[1].Stale = nil }, "I1: at 31s the row run-0@1 is older"},
		"no recovery":                  {func(r *Record) { r.Frames[2].Runs = runs("1") }, "I2: at 50s, 20s after the last fault, the screen has run-0@1"},
		"never live again":             {func(r *Record) { r.Frames[2].Live = false }, "after the last fault, the screen is not live"},
		"never complete again":         {func(r *Record) { r.Frames[2].Complete = false }, "after the last fault, the screen is not live"},
		"an older row":                 {func(r *Record) { r.Frames[0].Runs = runs("3") }, "I3: at 5s run-0 goes back from 3 to 1 without a reset"},
		"an older row again": {func(r *Record) {
			r.Reset = at(4)
			r.Frames[0].Runs, r.Frames[1].Runs = runs("4"), runs("3")
			r.Frames[1].Reset, r.Frames[2].Reset = at(4), at(4)
		}, "I3: at 31s run-0 goes back from 3 to 2 without a reset"},
		"a reset that was none": {func(r *Record) { r.Frames[2].Reset = at(31) }, "I3: at 31s the screen says that the hub was reset, which it was not"},
		"a reset before it was": {func(r *Record) { r.Frames[2].Reset, r.Reset = at(31), at(40) }, "I3: at 31s the screen says that the hub was reset, which it was not"},
		"two lists":             {func(r *Record) { r.MostLists = 2 }, "I17: 2 lists of one set at the same time"},
		"too many requests":     {func(r *Record) { r.Requests = 10_000 }, "I17: 10000 requests"},
	} {
		t.Run(name, func(t *testing.T) {
			r := good()
			tt.lie(r)
			found := ""
			for _, err := range Check(r) {
				found += err.Error() + "\n"
			}
			if !strings.Contains(found, tt.want) {
				t.Errorf("found %q, want %q", found, tt.want)
			}
		})
	}
	r := good()
	r.Reset = at(4)
	r.Frames[0].Runs = runs("4")
	r.Frames[1].Runs, r.Frames[1].Reset = runs("3"), at(4)
	r.Frames[2].Reset = at(4).Add(500 * time.Millisecond) // the hub goes back twice
	for _, err := range Check(r) {
		if strings.Contains(err.Error(), "I3") {
			t.Errorf("after a reset: %v", err)
		}
	}
}
