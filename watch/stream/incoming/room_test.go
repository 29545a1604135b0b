package incoming

import (
	"fmt"
	"strings"
	"testing"

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
		reader := &Reader{All: &task.Group{}, Kind: engine.KindClusterStagedUpdateRun, Most: mostObjects, Left: tt.left, Held: h, Each: func(*Object) {}}
		list, err := reader.Read(strings.NewReader(in))
		if err != nil || len(list.Items) != tt.want || list.Truncated != (tt.want < 10) || list.ResourceVersion != "1" || reader.Weight < int64(tt.want)*10_000 {
			t.Errorf("%s: %+v, %d bytes, %v", name, list, reader.Weight, err)
		}
		if reader.End(); r.Used() != tt.own {
			t.Errorf("%s: %d bytes are kept", name, r.Used())
		}
	}
}

// TestTooManyValues checks that an object of more values than fit a bound is shown as one
// that cannot be decoded: three bytes of JSON may take two hundred of memory.
func TestTooManyValues(t *testing.T) {
	for field, size := range map[string]int{"conditions": decode.MaxParts, "stagesStatus": decode.MaxStages} {
		raw := `{"metadata":{"name":"a","uid":"u"},"status":{"` + field + `":[{}` + strings.Repeat(",{}", size) + `]}}`
		if o := Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, []byte(raw)); !strings.HasPrefix(o.Broken, "more than") || o.Value != nil || o.Name != "a" {
			t.Errorf("%s: %q", field, o.Broken)
		}
	}
}
