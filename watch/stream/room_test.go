package stream

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/decode"
	"github.com/stagewatch/stagewatch/watch/stream/held"
)

// TestReadListHasRoom checks that a list is cut off where its bytes, or the memory of the
// hub, exceed their bounds, and that it gives back what it took.
func TestReadListHasRoom(t *testing.T) {
	item := func(n int) string {
		return fmt.Sprintf(`{"metadata":{"name":"o-%d","annotations":{"a":%q}}}`, n, strings.Repeat("a", 10_000))
	}
	var items []string
	for n := range 10 {
		items = append(items, item(n))
	}
	in := `{"metadata":{"resourceVersion":"1"},"items":[` + strings.Join(items, ",") + `]}`
	for name, tt := range map[string]struct {
		left, most, own int64
		want            int
	}{
		"bounds of all":  {1 << 20, 1 << 20, 0, 10},
		"bytes":          {25_000, 1 << 20, 0, 2},
		"memory":         {1 << 20, 60_000, 0, 3},
		"of the set":     {1 << 20, 60_000, 50_000, 3},
		"all is used up": {1 << 20, 0, 0, 0},
	} {
		r := memory.NewRoom()
		r.SetMost(tt.most)
		h := held.New(r)
		h.Replace(func(func(*store.Object, int64) bool) {}, tt.own, "")
		r.Take(tt.own, tt.own)
		reader := &listReader{all: &task.Group{}, kind: engine.KindClusterStagedUpdateRun, most: maxObjects, left: tt.left, held: h, each: func(*object) {}}
		list, err := reader.read(strings.NewReader(in))
		if err != nil || len(list.Items) != tt.want || list.truncated != (tt.want < 10) || list.ResourceVersion != "1" || reader.weight < int64(tt.want)*10_000 {
			t.Errorf("%s: %+v, %d bytes, %v", name, list, reader.weight, err)
		}
		if reader.end(); r.Used() != tt.own {
			t.Errorf("%s: %d bytes are kept", name, r.Used())
		}
	}
}

// settle lets a second pass, and waits until the stream has done what it has to do: only
// then may a test read what the stream writes.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// TestWatchHasRoom checks that events beyond the memory of the hub are not kept, neither
// are older versions of their objects, and that deleted objects make room.
func TestWatchHasRoom(t *testing.T) {
	keep(t, func(k *kept) {
		large := func(name string, size int) int {
			return k.server.Put(runs, map[string]any{"metadata": map[string]any{"name": name, "annotations": map[string]any{"a": strings.Repeat("a", size)}}})
		}
		h := k.stream.held
		k.room.SetMost(500_000)
		for n := range 8 {
			large(fmt.Sprint("run-", n), 100_000)
		}
		settle()
		if used := k.room.Used(); used > 500_000 || used != h.Weight() || h.Objects() != 5 { // the first, and four
			k.t.Errorf("%d bytes for %d objects", used, h.Objects())
		}
		large("run-0", 300_000) // is known, and does not fit
		settle()
		if h.Objects() != 4 {
			k.t.Errorf("%d objects after one has grown", h.Objects())
		}
		for n := range 8 {
			k.server.Delete(runs, "", fmt.Sprint("run-", n))
		}
		large("last", 100_000)
		settle()
		if used := k.room.Used(); h.Objects() != 2 || used != h.Weight() || used > 130_000 {
			k.t.Errorf("%d bytes for %d objects after all others were deleted", used, h.Objects())
		}
	})
}

// TestTooManyValues checks that an object of more values than fit a bound is shown as one
// that cannot be decoded: three bytes of JSON may take two hundred of memory.
func TestTooManyValues(t *testing.T) {
	for field, size := range map[string]int{"conditions": decode.MaxParts, "stagesStatus": decode.MaxStages} {
		raw := `{"metadata":{"name":"a","uid":"u"},"status":{"` + field + `":[{}` + strings.Repeat(",{}", size) + `]}}`
		if o := decoded(engine.HubName{}, engine.KindClusterStagedUpdateRun, []byte(raw)); !strings.HasPrefix(o.Broken, "more than") || o.Value != nil || o.Name != "a" {
			t.Errorf("%s: %q", field, o.Broken)
		}
	}
}
