package stream

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

// paging is the size of the pages of a list, and the time for each. It finds the largest pages
// that are answered: a proxy that drops long answers, or an API server that is
// overloaded, lets short ones pass, and an answer that is lost is noticed soon, since
// the one before says how long it may take.
type paging struct {
	size   int64         // of the next page; zero for a whole list
	fits   int64         // the size of the last page that was answered
	took   time.Duration // until its end
	steady bool          // a larger page was not answered
	head   time.Duration // for the head of a whole list
}

// wholeList is a list in one piece.
func wholeList(head time.Duration) *paging { return &paging{head: head} }

// newPaging begins after a list of pageLeast objects that took some time.
func newPaging(took time.Duration) *paging {
	return &paging{size: pageLeast, fits: pageLeast, took: took}
}

// limits are those of the next page.
func (p *paging) limits() client.Limits {
	if p.size == 0 {
		return client.Limits{Head: p.head, Progress: min(p.head, listHead)}
	}
	d := min(max(pageHead, pageSlack*p.took*time.Duration(p.size)/time.Duration(p.fits)), pageHeadMost)
	return client.Limits{Head: d, Progress: d}
}

// grow notes a page that was answered.
func (p *paging) grow(took time.Duration) {
	p.fits, p.took = p.size, took
	if !p.steady {
		p.size = min(pageGrowth*p.size, pageMost)
	}
}

// shrink notes a page that was not answered in time. It reports whether it has to be requested
// again as a smaller one.
func (p *paging) shrink() bool {
	if p.size == p.fits {
		return false
	}
	p.size, p.steady = p.fits, true
	return true
}
