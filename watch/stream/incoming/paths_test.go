package incoming

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/stream/held"
)

// TestListReadsPaths checks that the objects of a list have the values of JSONPath columns, one
// that is broken has none, and that the values count in the memory of the set.
func TestListReadsPaths(t *testing.T) {
	const in = `{"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"},"spec":{"team":"web"}},{"metadata":{"name":"b"}},{"metadata":{}}]}`
	read := func(paths *jsonpath.Reader) *List {
		r := &Reader{All: &task.Group{}, Kind: engine.KindClusterStagedUpdateRun, Paths: paths, Most: mostObjects, Left: mostBytes, Held: held.New(memory.NewRoom()), Each: func(*Object) {}}
		list, err := r.Read(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	with, without := read(jsonpath.NewReader([]string{"run", "jsonpath:TEAM:.spec.team"})), read(nil)
	for i, want := range [][]string{{"web"}, {""}, nil} {
		if got := with.Items[i].Paths; !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("object %d has %q, want %q", i, got, want)
		}
		if without.Items[i].Paths != nil {
			t.Errorf("object %d has values without columns", i)
		}
	}
	if with.Weights[0] != without.Weights[0]+held.StringHeader+int64(len("web")) {
		t.Errorf("weights %d, without columns %d", with.Weights, without.Weights)
	}
}
