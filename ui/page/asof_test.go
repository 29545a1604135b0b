package page

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// A page says when it was read if it could not be read again, is old, was covered, or is about to
// answer another question.
func TestAsOf(t *testing.T) {
	read := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	fresh := func() *Page {
		p := New(text("events"), page.EventsQuestion{}, Subject{})
		if at, ok := p.AsOf(read); ok {
			t.Errorf("a page that is not read yet is as of %s", at)
		}
		p.Take(page.Answer{At: read})
		return p
	}
	for name, tt := range map[string]struct {
		does func(*Page)
		now  time.Time
		want bool
	}{
		"just read":          {func(*Page) {}, read, false},
		"ten seconds old":    {func(*Page) {}, read.Add(engine.StaleAfter), false},
		"older":              {func(*Page) {}, read.Add(engine.StaleAfter + time.Millisecond), true},
		"failed":             {func(p *Page) { p.Take(page.Answer{Err: text("no answer")}) }, read, true},
		"covered":            {(*Page).Cover, read, true},
		"another question":   {func(p *Page) { p.Reask(page.EventsQuestion{}) }, read, true},
		"covered, then read": {func(p *Page) { p.Cover(); p.Take(page.Answer{At: read}) }, read, false},
	} {
		p := fresh()
		tt.does(p)
		if at, ok := p.AsOf(tt.now); ok != tt.want || !at.Equal(read) {
			t.Errorf("%s: as of %s, %v", name, at, ok)
		}
	}
}
