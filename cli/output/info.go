package output

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// HubInfo is how a hub was read.
type HubInfo struct {
	Snapshot *engine.Snapshot
	Sets     []watch.Set
	// At is when Sets were taken, Took how long it took until all runs were there.
	At   time.Time
	Took time.Duration
}

// infoDocument is what --info prints; its keys are stable.
type infoDocument struct {
	Version    string        `json:"version"`
	Go         string        `json:"go"`
	Platform   string        `json:"platform"`
	Goroutines int           `json:"goroutines"`
	HeapBytes  uint64        `json:"heapBytes"`
	TotalBytes uint64        `json:"totalBytes"`
	Hubs       []hubInfoJSON `json:"hubs"`
}

type hubInfoJSON struct {
	Context   engine.Text  `json:"context"`
	Server    engine.Text  `json:"server"`
	User      engine.Text  `json:"user,omitzero"`
	Link      engine.Text  `json:"link"`
	Runs      int          `json:"runs"`
	LoadedMS  int64        `json:"loadedMilliseconds"`
	Streams   []streamJSON `json:"streams"`
	LastHeard *time.Time   `json:"lastHeard,omitempty"`
}

type streamJSON struct {
	Resource  engine.Text `json:"resource"`
	Namespace engine.Text `json:"namespace,omitzero"`
	Placement engine.Text `json:"placement,omitzero"`
	Bytes     int64       `json:"bytes"`
	// AgeMS is the time since the set was last proven to be current; nothing before the first list.
	AgeMS *int64 `json:"ageMilliseconds,omitempty"`
}

// WriteInfo prints what the program itself uses, and the streams from each hub. It contains no
// credential.
func WriteInfo(w io.Writer, version string, hubs []HubInfo, form string) error {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	d := infoDocument{
		Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Goroutines: runtime.NumGoroutine(), HeapBytes: memory.HeapAlloc, TotalBytes: memory.Sys - memory.HeapReleased,
		Hubs: make([]hubInfoJSON, len(hubs)),
	}
	for i := range hubs {
		d.Hubs[i] = hubs[i].document()
	}
	if form != "" {
		return writeDocument(w, d, form)
	}
	b := &textPage{}
	b.line("stagewatch %s, %s %s", d.Version, d.Go, d.Platform)
	b.line("memory      %s heap, %s in all", engine.Size(int64(d.HeapBytes)), engine.Size(int64(d.TotalBytes))) //nolint:gosec // sizes of this process
	b.line("goroutines  %d", d.Goroutines)
	for i := range d.Hubs {
		h := &d.Hubs[i]
		b.line("")
		b.line("%s   %s   %s", Cell(h.Context), Cell(h.Server), Cell(h.Link))
		b.line("  user %s, %s read in %s", Cell(h.User), engine.Count(h.Runs, "run"), time.Duration(h.LoadedMS)*time.Millisecond)
		b.line("")
		rows := []string{"  STREAM\tBYTES\tAGE"}
		for _, s := range h.Streams {
			name := s.Resource
			if !s.Namespace.IsZero() {
				name = engine.Textf("%s of namespace %s", name, s.Namespace)
			}
			if !s.Placement.IsZero() {
				name = engine.Textf("%s of placement %s", name, s.Placement)
			}
			age := "-"
			if s.AgeMS != nil {
				age = (time.Duration(*s.AgeMS) * time.Millisecond).String()
			}
			rows = append(rows, fmt.Sprintf("  %s\t%s\t%s", Cell(name), engine.Size(s.Bytes), age))
		}
		b.table(rows)
	}
	_, err := b.WriteTo(w)
	return err
}

func (h *HubInfo) document() hubInfoJSON {
	s := h.Snapshot
	out := hubInfoJSON{
		Context: s.Hub.Context, Server: s.Hub.Server, User: s.Hub.User, Link: engine.Clean(s.Link.State.String()),
		LoadedMS: h.Took.Milliseconds(), Streams: []streamJSON{},
	}
	for _, v := range s.Runs {
		if engine.IsRun(v.ID.Kind()) { // not a placement without one
			out.Runs++
		}
	}
	if !s.Link.Heard.IsZero() {
		heard := s.Link.Heard.UTC().Truncate(time.Second)
		out.LastHeard = &heard
	}
	for _, set := range h.Sets {
		one := streamJSON{Resource: engine.Clean(set.Key.Kind.Plural()), Namespace: engine.Clean(set.Key.Namespace), Bytes: set.Bytes}
		if !set.Key.Placement.IsZero() {
			one.Placement = set.Key.Placement.Title()
		}
		if !set.Proved.IsZero() {
			age := h.At.Sub(set.Proved).Milliseconds()
			one.AgeMS = &age
		}
		out.Streams = append(out.Streams, one)
	}
	return out
}
