package engine

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Minute: "0s", 0: "0s", 999 * time.Millisecond: "0s", 42 * time.Second: "42s", 99 * time.Second: "1m39s", time.Minute: "1m",
		9*time.Minute + 59*time.Second: "9m59s", 10*time.Minute + 59*time.Second: "10m", 99 * time.Minute: "1h39m", 3*time.Hour + 5*time.Minute: "3h5m",
		3*time.Hour + 59*time.Second: "3h", 23*time.Hour + 59*time.Minute: "23h", day + 59*time.Minute: "1d", 2*day + 4*time.Hour: "2d4h", 12*day + time.Hour: "12d",
		4000 * day: "4000d",
	} {
		if got := Age(d).String(); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 30, 0, 0, time.UTC)
	for _, tt := range []struct {
		at          time.Time
		time, clock string
	}{
		{now.Add(-time.Minute), "00:29:00", "00:29:00 UTC"},
		{now.Add(-time.Hour), "21 Nov 23:30", "21 Nov 23:30 UTC"},
		{now.AddDate(-1, 0, 0), "22 Nov 00:30", "22 Nov 00:30 UTC"},
		{now.Add(time.Minute).In(time.FixedZone("", 3600)), "00:31:00", "00:31:00 UTC"},
	} {
		if got := Time(tt.at, now).String(); got != tt.time {
			t.Errorf("time %q, want %q", got, tt.time)
		}
		if got := Clock(tt.at, now).String(); got != tt.clock {
			t.Errorf("clock %q, want %q", got, tt.clock)
		}
	}
	if got := Clock(time.Time{}, now).String(); got != "an unknown time" {
		t.Errorf("clock of no time: %q", got)
	}
}
