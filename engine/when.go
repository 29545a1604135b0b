package engine

import (
	"strconv"
	"time"
)

// Age writes a measured duration in at most two units, the second one only where the
// first has one digit: 42s, 1m20s, 14m, 3h5m, 23h, 2d4h, 12d. What lies ahead is 0s.
func Age(d time.Duration) Text {
	s := int64(max(0, d) / time.Second)
	units := [...]struct {
		name    string
		seconds int64
	}{{"d", 24 * 60 * 60}, {"h", 60 * 60}, {"m", 60}, {"s", 1}}
	for i, u := range units[:3] {
		n := s / u.seconds
		if n == 0 {
			continue
		}
		out, next := strconv.FormatInt(n, 10)+u.name, units[i+1]
		if rest := s % u.seconds / next.seconds; n < 10 && rest > 0 {
			out += strconv.FormatInt(rest, 10) + next.name
		}
		return Text{s: out}
	}
	return Text{s: strconv.FormatInt(s, 10) + "s"}
}

// Span writes the length of a configured duration exactly, as strategies do: 1h30m, 15s.
func Span(d time.Duration) Text {
	if d <= 0 {
		return Lit("some time")
	}
	s := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if len(s) > len(zero) && s[len(s)-len(zero):] == zero {
			s = s[:len(s)-2]
		}
	}
	return Text{s: s}
}

// Time writes a time in UTC for a column: 15:04:05, on another day than the present
// one 2 Jan 15:04.
func Time(t, now time.Time) Text {
	t, now = t.UTC(), now.UTC()
	if t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return Text{s: t.Format("2 Jan 15:04")}
	}
	return Text{s: t.Format("15:04:05")}
}

// Clock writes a time for a sentence, with its time zone. Sentences hold no ages, since
// nothing would renew them.
func Clock(t, now time.Time) Text {
	if t.IsZero() {
		return Lit("an unknown time")
	}
	return Textf("%s UTC", Time(t, now))
}
