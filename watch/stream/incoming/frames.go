package incoming

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/stream/decode"
)

// decodeAhead is how many objects are decoded at the same time while the next
// are read. Each may take 25 MB meanwhile.
var decodeAhead = min(max(2, runtime.GOMAXPROCS(0)), 4)

// listedAtOnce and watchedAtOnce are up to which size an object of a list or of a watch is
// decoded where it is read: waking up another goroutine costs more than decoding a binding. What
// a watch brings comes one by one, so that there is less to decode at the same time.
const listedAtOnce, watchedAtOnce = 16 << 10, 64 << 10

// pending is an object that is being decoded.
type pending struct {
	done chan struct{}
	obj  *Object
}

// decodedAlready is the channel of an object that is decoded.
var decodedAlready = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func startDecode(all *task.Group, hub engine.HubName, kind engine.Kind, raw []byte, paths *jsonpath.Reader, atOnce int) *pending {
	p := &pending{done: make(chan struct{})}
	read := func() {
		defer close(p.done)
		p.obj = Decode(hub, kind, raw)
		if p.obj.Value != nil {
			p.obj.Paths = paths.Read(raw)
		}
		client.Recycle(raw)
	}
	if len(raw) <= atOnce {
		read()
	} else {
		go all.Guard(read) // ends soon: decoding waits for nothing
	}
	return p
}

// Frames is a watch: it reads events and decodes them ahead. It ends when the body ends, when
// Stop is called or when an event cannot be read.
type Frames struct {
	all   *task.Group
	hub   engine.HubName
	kind  engine.Kind
	paths *jsonpath.Reader
	body  Body
	// beside brings objects that are read beside the watch; nil for none.
	beside <-chan *Object

	queue chan frame
	err   error // set before queue is closed; io.EOF at the end of the body, or after Stop
	stop  chan struct{}
	end   func() // closes stop and the body, once
}

// Body is the body of a watch.
type Body interface {
	io.ReadCloser
	// Inside says whether what is read from now on belongs to an event that has begun.
	Inside(event bool)
}

// frame is one event on its way: either of the two is set.
type frame struct {
	event  apiwatch.Event
	object *pending
}

// NewFrames reads the watch of a body, which Stop closes. The goroutine is one of all; it ends with the body.
func NewFrames(all *task.Group, hub engine.HubName, kind engine.Kind, paths *jsonpath.Reader, body Body) *Frames {
	f := &Frames{
		all: all, hub: hub, kind: kind, paths: paths, body: body,
		queue: make(chan frame, decodeAhead), stop: make(chan struct{}),
	}
	f.end = sync.OnceFunc(func() {
		close(f.stop)
		body.Close() //nolint:errcheck // the stream is over either way
	})
	go all.Guard(f.read) // ends with the body
	return f
}

// Beside makes Next return, as events of type BesideWatch, objects that are read beside the watch.
func (f *Frames) Beside(objects <-chan *Object) { f.beside = objects }

// BesideWatch is the type of an event for an object that was read beside the watch.
const BesideWatch apiwatch.EventType = ""

// Stop ends the watch.
func (f *Frames) Stop() { f.end() }

// Next waits for the next event, until ctx ends. After the last one the error is io.EOF.
func (f *Frames) Next(ctx context.Context) (apiwatch.Event, error) {
	var next frame
	open := true
	select {
	case next, open = <-f.queue:
	case o := <-f.beside:
		return apiwatch.Event{Type: BesideWatch, Object: o}, nil
	case <-ctx.Done():
		return apiwatch.Event{}, ctx.Err()
	}
	if !open {
		return apiwatch.Event{}, f.err
	}
	if p := next.object; p != nil {
		<-p.done
		if p.obj.Broken != "" && (p.obj.ResourceVersion == "" || p.obj.Nameless) { // a list shows it
			return apiwatch.Event{}, fmt.Errorf("read event of %s: an object without a name or a version: %w", f.kind.Plural(), client.ErrNotJSON)
		}
		next.event.Object = p.obj
	}
	return next.event, nil
}

func (f *Frames) read() {
	defer close(f.queue)
	f.err = io.EOF
	cut := client.NewJSONStream(f.body)
	for {
		next, err := f.parse(cut)
		if err == nil {
			select {
			case f.queue <- next:
				continue
			case <-f.stop:
				return
			}
		}
		select {
		case <-f.stop:
		default:
			if !errors.Is(err, context.Canceled) {
				f.err = err
			}
		}
		return
	}
}

// parse reads the next event, which is cut out of the stream only once, and starts decoding
// what is in it.
func (f *Frames) parse(cut *client.JSONStream) (frame, error) {
	var event struct {
		Type   apiwatch.EventType
		Object json.RawMessage
	}
	if err := cut.More(); err != nil {
		return frame{}, err
	}
	f.body.Inside(true)
	defer f.body.Inside(false)
	err := cut.Fields("", nil, func(name string, v []byte) error {
		switch name {
		case "type":
			return json.Unmarshal(v, &event.Type)
		case "object":
			event.Object = v
		}
		return nil
	})
	if err != nil {
		return frame{}, fmt.Errorf("read event: %w", err)
	}
	switch event.Type {
	case apiwatch.Added, apiwatch.Modified, apiwatch.Deleted:
		if kind := client.JSONText(event.Object, "kind"); kind != "" && kind != f.kind.String() {
			return frame{}, fmt.Errorf("read event of %s: an object of kind %q: %w", f.kind.Plural(), kind, client.ErrNotJSON)
		}
		return frame{event: apiwatch.Event{Type: event.Type}, object: startDecode(f.all, f.hub, f.kind, event.Object, f.paths, watchedAtOnce)}, nil
	case apiwatch.Bookmark:
		meta := decode.Meta(event.Object)
		if meta.ResourceVersion == "" {
			return frame{}, fmt.Errorf("read bookmark: %w", client.ErrNotJSON)
		}
		return frame{event: apiwatch.Event{Type: event.Type, Object: &Object{ObjectMeta: meta}}}, nil
	case apiwatch.Error:
		status := &metav1.Status{}
		if err := json.Unmarshal(event.Object, status); err != nil {
			return frame{}, fmt.Errorf("read error event: %w: %w", client.ErrNotJSON, err)
		}
		return frame{event: apiwatch.Event{Type: event.Type, Object: status}}, nil
	}
	return frame{}, fmt.Errorf("read event of type %q: %w", event.Type, client.ErrNotJSON)
}
