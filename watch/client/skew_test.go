package client

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestSkewClock(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 400e6, time.UTC)
	ms := time.Millisecond
	date := func(t time.Time) string { return t.UTC().Format(http.TimeFormat) }
	t.Run("no skew is none", func(t *testing.T) {
		var c skewClock
		for i := range 20 {
			now := at.Add(time.Duration(i) * 137 * ms)
			c.learn(date(now), now.Add(-5*ms), now.Add(5*ms))
		}
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
	for _, skew := range []time.Duration{90 * time.Second, -time.Hour, 3 * time.Second} {
		t.Run(fmt.Sprint(skew), func(t *testing.T) {
			var c skewClock
			for i := range 40 {
				now := at.Add(time.Duration(i) * 137 * ms)
				c.learn(date(now.Add(skew)), now.Add(-5*ms), now.Add(5*ms))
			}
			if off := c.offset() - skew; off < -60*ms || off > 60*ms {
				t.Errorf("offset %v, want %v", c.offset(), skew)
			}
		})
	}
	t.Run("the hub's clock is set", func(t *testing.T) {
		var c skewClock
		c.learn(date(at.Add(time.Minute)), at, at)
		c.learn(date(at), at, at)
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
	t.Run("no date", func(t *testing.T) {
		var c skewClock
		c.learn("", at, at)
		c.learn("yesterday", at, at)
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
}
