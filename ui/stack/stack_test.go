package stack

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/page"
)

// What is pushed covers the page that was on top; a page does not cover itself.
func TestPushCoversThePageOnTop(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	read := func() *page.Page {
		p := page.New(engine.Lit("events"), enginepage.EventsQuestion{}, page.Subject{})
		p.Take(enginepage.Answer{At: now})
		return p
	}
	below, top := read(), read()
	s := Stack{}.Push(Level{Sheet: below}).Push(Level{Sheet: top}).Push(Level{Sheet: top})
	if _, past := below.AsOf(now); !past {
		t.Error("the page below is not covered")
	}
	if _, past := top.AsOf(now); past {
		t.Error("the page on top covers itself")
	}
	if s.Covered(); s.Sheet() != top {
		t.Error("the stack has changed")
	}
	if _, past := top.AsOf(now); !past {
		t.Error("something took the place of the page on top, and it is not covered")
	}
}
