package incoming

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/stream/decode"
	"github.com/stagewatch/stagewatch/watch/stream/held"
)

// errTruncated ends the reading of a list that exceeds a bound.
var errTruncated = errors.New("exceeds its bounds")

// versionWithin is how many bytes behind the objects that are kept a list is searched for
// its resourceVersion.
const versionWithin = 64 << 20

// Reader reads the pages of one list, decoding while it reads.
type Reader struct {
	All  *task.Group
	Hub  engine.HubName
	Kind engine.Kind
	// Paths reads the columns that are JSONPaths, if the objects are runs.
	Paths *jsonpath.Reader
	// Most is how many objects are read, and Left how many bytes more, decompressed. A
	// list that has more of either, or for whose objects there is no room, is truncated.
	Most int
	Left int64
	Held *held.Set // of the set, which the list will replace
	// Counts is called for every object, as soon as it was read, with how many there were so
	// far; it may be nil.
	Counts func(objects int)
	// Each is called for every object in order, as soon as it is decoded and its page is
	// known to have a resourceVersion; not for those that are read when the list is known to
	// be complete, which replaces the set at once.
	Each func(*Object)

	Tally
	full bool // there is no room for more
}

// Tally is what was read so far, of all pages.
type Tally struct {
	began    int   // objects
	nameless int   // those of them without a name
	Weight   int64 // of all objects, which has its room
}

// Undo forgets the page that was read in part since a tally: it is requested again.
func (r *Reader) Undo(before Tally) {
	r.Held.Give(r.Weight - before.Weight)
	r.Tally = before
}

// End gives back the room of a list that is not used.
func (r *Reader) End() {
	r.Held.Give(r.Weight)
	r.Weight = 0
}

// counted is a body whose bytes are counted.
type counted struct {
	io.Reader
	left *int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	if *c.left <= 0 {
		return 0, errTruncated
	}
	n, err := c.Reader.Read(b[:min(int64(len(b)), *c.left)])
	*c.left -= int64(n)
	return n, err
}

// page is one page while it is read.
type page struct {
	*Reader
	list   *List
	queue  []*pending
	passed int  // objects that each was called for
	items  bool // the member with the objects was there
	last   bool // all objects of the list have been read
}

// Read reads the body of one page. Its members may come in any order.
func (r *Reader) Read(body io.Reader) (*List, error) {
	p := &page{Reader: r, list: &List{}}
	cut := client.NewJSONStream(&counted{body, &r.Left})
	cut.Uncut = p.uncut
	err := cut.Fields("items", p.item, p.member)
	if errors.Is(err, errTruncated) {
		p.list.Truncated, err = true, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read list of %s: %w", r.Kind.Plural(), err)
	case p.list.ResourceVersion == "":
		return nil, r.bad("no resourceVersion")
	case !p.items:
		return nil, r.bad("no items")
	}
	for len(p.queue) > 0 {
		p.settle()
	}
	return p.list, nil
}

func (r *Reader) bad(what string) error {
	return fmt.Errorf("read list of %s: %s: %w", r.Kind.Plural(), what, client.ErrNotJSON)
}

// member takes a member of the list, items without its objects.
func (p *page) member(name string, raw []byte) error {
	switch name {
	case "items":
		p.items = true
		if raw != nil && string(raw) != "null" {
			return fmt.Errorf("items are not an array: %w", client.ErrNotJSON)
		}
	case "metadata":
		if err := json.Unmarshal(raw, &p.list.ListMeta); err != nil {
			return fmt.Errorf("metadata: %w: %w", client.ErrNotJSON, err)
		}
		p.last = p.items && p.list.Continue == "" && !p.list.Truncated
		p.pass()
	}
	return nil
}

// item takes an object.
func (p *page) item(raw []byte) error {
	if raw[0] != '{' {
		return fmt.Errorf("an item is not an object: %w", client.ErrNotJSON)
	}
	p.list.Truncated = p.list.Truncated || p.began == p.Most
	if p.list.Truncated {
		if p.list.ResourceVersion == "" {
			p.Left = min(p.Left, versionWithin)
			return nil // it may come after the objects
		}
		return errTruncated
	}
	p.add(startDecode(p.All, p.Hub, p.Kind, raw, p.Paths, listedAtOnce))
	return nil
}

// uncut takes the object with which what was read begins, and returns how many bytes it has; 0
// if it has to be cut.
func (p *page) uncut(read []byte) int {
	if p.list.Truncated || p.began == p.Most || !engine.IsRun(p.Kind) {
		return 0
	}
	value, meta, length := decode.FirstRun(read)
	if length == 0 || meta.Name == "" {
		return 0
	}
	o := newObject(p.Hub, p.Kind, meta)
	o.Value, o.Paths = value, p.Paths.Read(read[:length])
	p.add(&pending{done: decodedAlready, obj: o})
	return length
}

// add adds an object to the page, decoded or not yet.
func (p *page) add(o *pending) {
	p.began++
	if p.Counts != nil {
		p.Counts(p.began)
	}
	p.queue = append(p.queue, o)
	if len(p.queue) > decodeAhead {
		p.settle()
	}
}

// settle waits for the first object of the queue.
func (p *page) settle() {
	first := p.queue[0]
	p.queue = p.queue[1:]
	<-first.done
	weight := p.Held.Weigh(&first.obj.Object, first.obj.Bytes)
	if p.full = p.full || !p.Held.Take(weight); p.full {
		p.list.Truncated = true
		return
	}
	p.Weight += weight
	p.list.Weights = append(p.list.Weights, weight)
	if first.obj.Nameless {
		p.nameless++
		first.obj.number(p.Hub, p.nameless)
	}
	p.list.Items = append(p.list.Items, first.obj)
	p.pass()
}

// pass calls each for the objects that it was not called for.
func (p *page) pass() {
	if p.list.ResourceVersion == "" || p.last {
		return
	}
	for ; p.passed < len(p.list.Items); p.passed++ {
		p.Each(p.list.Items[p.passed])
	}
}
