// Package paging finds the largest pages of a list that an API server answers.
package paging

import (
	"time"

	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// pageLeast is the size of the first page, pageMost that of the largest one: a page of so
	// many large runs is made within a second. Each page is pageGrowth times as large as the
	// one before.
	pageLeast  = 2
	pageMost   = 100
	pageGrowth = 3
	// pageHead and pageHeadMost bound the time for the head of a page, which is pageSlack
	// times as long as the page before lets expect.
	pageHead     = time.Second
	pageHeadMost = 15 * time.Second
	pageSlack    = 3
)

// Paging is the size of the pages of a list, and the time for each. It finds the largest pages
// that are answered: a proxy that drops long answers, or an API server that is
// overloaded, lets short ones pass, and an answer that is lost is noticed soon, since
// the one before says how long it may take.
type Paging struct {
	size   int64         // of the next page; zero for a whole list
	fits   int64         // the size of the last page that was answered
	took   time.Duration // until its end
	steady bool          // a larger page was not answered
	limit  client.Limits // of a whole list
}

// Whole is a list in one piece, with its limits.
func Whole(limit client.Limits) *Paging { return &Paging{limit: limit} }

// New begins after a list of pageLeast objects that took some time.
func New(took time.Duration) *Paging {
	return &Paging{size: pageLeast, fits: pageLeast, took: took}
}

// Size is how many objects the next page has; zero for a whole list.
func (p *Paging) Size() int64 { return p.size }

// Limits are those of the next page.
func (p *Paging) Limits() client.Limits {
	if p.size == 0 {
		return p.limit
	}
	d := min(max(pageHead, pageSlack*p.took*time.Duration(p.size)/time.Duration(p.fits)), pageHeadMost)
	return client.Limits{Head: d, Progress: d}
}

// Grow notes a page that was answered.
func (p *Paging) Grow(took time.Duration) {
	p.fits, p.took = p.size, took
	if !p.steady {
		p.size = min(pageGrowth*p.size, pageMost)
	}
}

// Shrink notes a page that was not answered in time. It reports whether it has to be requested
// again as a smaller one.
func (p *Paging) Shrink() bool {
	if p.size == p.fits {
		return false
	}
	p.size, p.steady = p.fits, true
	return true
}
