package incoming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"k8s.io/utils/dump"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/memory"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
	"github.com/stagewatch/stagewatch/watch/stream/decode"
	"github.com/stagewatch/stagewatch/watch/stream/held"
)

// mostObjects and mostBytes bound the lists of the tests.
const mostObjects, mostBytes = 200_000, 512 << 20

// readAll reads a list of one page.
func readAll(body io.Reader, kind engine.Kind, most int, each func(*Object)) (*List, error) {
	return (&Reader{All: &task.Group{}, Kind: kind, Most: most, Left: mostBytes, Held: held.New(memory.NewRoom()), Each: each}).Read(body)
}

// TestReadList checks that the members of a list may come in any order, that its broken
// objects are read, and that no two of them share a name that they do not have.
func TestReadList(t *testing.T) {
	const (
		version = `"metadata":{"resourceVersion":"9","continue":"more"}`
		items   = `"items":[{"metadata":{"name":"a"}},{},{"metadata":{"name":"b","annotations":{"x":1}}},{"metadata":{"name":7,"uid":"u"}},{"metadata":{"name":"c"}}]`
	)
	for _, in := range []string{`{` + version + `,` + items + `}`, `{"kind":"L",` + items + `,"apiVersion":"v1",` + version + `}`} {
		var names []string
		list, err := readAll(strings.NewReader(in), engine.KindClusterStagedUpdateRun, mostObjects, func(o *Object) { names = append(names, o.ID.RawName()) })
		if want := []string{"a", "(no name)", "b", "(no name 2)", "c"}; err != nil || len(list.Items) != 5 || !slices.Equal(names, want) || list.ResourceVersion != "9" || list.Continue != "more" {
			t.Errorf("%s: %q, %v", in, names, err)
			continue
		}
		for i, o := range list.Items {
			if broken := i == 1 || i == 2 || i == 3; (o.Broken != "") != broken {
				t.Errorf("object %d of %s: %+v", i, in, o)
			}
		}
	}
}

// TestACompleteListIsNotShownTwice checks that the objects of a list are not shown one by one
// when all of them have been read: the list itself is shown at once.
func TestACompleteListIsNotShownTwice(t *testing.T) {
	const items = `"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"}},{"metadata":{"name":"d"}},{"metadata":{"name":"e"}},{"metadata":{"name":"f"}}]`
	for in, want := range map[string]int{
		`{` + items + `,"metadata":{"resourceVersion":"9"}}`:                   0,
		`{` + items + `,"metadata":{"resourceVersion":"9","continue":"more"}}`: 6,
		`{"metadata":{"resourceVersion":"9"},` + items + `}`:                   6,
	} {
		shown := 0
		list, err := readAll(strings.NewReader(in), engine.KindClusterStagedUpdateRun, mostObjects, func(*Object) { shown++ })
		if err != nil || len(list.Items) != 6 || shown != want {
			t.Errorf("%s: %d shown, want %d; %v", in, shown, want, err)
		}
	}
}

// TestReadListRejects checks that what is no list becomes no rows, and is named.
func TestReadListRejects(t *testing.T) {
	for in, want := range map[string]string{
		`{"items":[{"metadata":{"name":"a"}}]}`:               "no resourceVersion",
		`{"metadata":{},"items":[{"metadata":{"name":"a"}}]}`: "no resourceVersion",
		`{}`:                                   "no resourceVersion",
		`{"metadata":{"resourceVersion":"9"}}`: "no items",
		`{"metadata":{"resourceVersion":"9"},"items":{}}`:                                         "items are not an array",
		`{"items":[{"metadata":{"name":"a"}},7],"metadata":{"resourceVersion":"9"}}`:              "an item is not an object",
		`{"items":[{"metadata":{"name":"a"}},null],"metadata":{"resourceVersion":"9"}}`:           "an item is not an object",
		`{"items":[{"metadata":{"name":"a"}},[]],"metadata":{"resourceVersion":"9"}}`:             "an item is not an object",
		`{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":9}}`:                  "metadata",
		`{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"9"},"kind":"List"`:   "unexpected EOF",
		`{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}],"metadata":{"resourceV"}}`: "not the JSON",
	} {
		rows := 0
		_, err := readAll(strings.NewReader(in), engine.KindClusterStagedUpdateRun, mostObjects, func(*Object) { rows++ })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "read list of clusterstagedupdateruns") {
			t.Errorf("%s: %v", in, err)
		}
		if torn := strings.HasSuffix(in, `"List"`); rows > 0 && !torn || errors.Is(err, client.ErrNotJSON) == torn {
			t.Errorf("%s: %d rows, %v", in, rows, err)
		}
	}
}

// TestNamelessEvent checks that an event of an object without a name ends the watch: the
// list after it shows the object.
func TestNamelessEvent(t *testing.T) {
	in := `{"type":"ADDED","object":{"metadata":{"uid":"u","resourceVersion":"7"}}}`
	f := NewFrames(&task.Group{}, engine.HubName{}, engine.KindClusterStagedUpdateRun, nil, still{strings.NewReader(in)})
	defer f.Stop()
	if event, err := f.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "without a name") {
		t.Errorf("event %+v, %v", event, err)
	}
}

// TestTheEndOfAWatch checks that a watch which we ended has no error of its own.
func TestTheEndOfAWatch(t *testing.T) {
	for end, want := range map[error]error{io.EOF: io.EOF, context.Canceled: io.EOF, io.ErrUnexpectedEOF: io.ErrUnexpectedEOF} {
		f := NewFrames(&task.Group{}, engine.HubName{}, engine.KindClusterStagedUpdateRun, nil, still{iotest.ErrReader(end)})
		if event, err := f.Next(t.Context()); !errors.Is(err, want) {
			t.Errorf("a body that ends with %v: event %+v, %v", end, event, err)
		}
		f.Stop()
	}
}

// TestEventOfAnotherKind checks that an event of an object of another kind ends the watch and
// becomes no row; one without a kind is taken as what was asked for.
func TestEventOfAnotherKind(t *testing.T) {
	for kind, taken := range map[string]bool{`"kind":"Pod",`: false, `"kind":7,`: true, "": true, `"kind":"ClusterStagedUpdateRun",`: true} {
		in := `{"type":"ADDED","object":{"apiVersion":"v1",` + kind + `"metadata":{"name":"a","uid":"u","resourceVersion":"7"}}}`
		f := NewFrames(&task.Group{}, engine.HubName{}, engine.KindClusterStagedUpdateRun, nil, still{strings.NewReader(in)})
		event, err := f.Next(t.Context())
		if taken != (err == nil) || !taken && !strings.Contains(err.Error(), `read event of clusterstagedupdateruns: an object of kind "Pod"`) {
			t.Errorf("%s: event %+v, %v", kind, event, err)
		}
		if _, err := f.Next(t.Context()); taken && !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last event %v", kind, err)
		}
		f.Stop()
	}
}

// TestReadListIsBounded checks that a list of too many objects is cut off, and says so.
func TestReadListIsBounded(t *testing.T) {
	const (
		version = `"metadata":{"resourceVersion":"1"}`
		items   = `"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]`
	)
	for most, truncated := range map[int]bool{1: true, 2: false, 3: false} {
		for _, in := range []string{`{` + version + `,` + items + `}`, `{` + items + `,` + version + `}`} {
			list, err := readAll(strings.NewReader(in), engine.KindClusterStagedUpdateRun, most, func(*Object) {})
			if err != nil || len(list.Items) != min(most, 2) || list.Truncated != truncated || list.ResourceVersion != "1" {
				t.Errorf("at most %d of %s: %+v, %v", most, in, list, err)
			}
		}
	}
}

// Runs that are decoded where they were read are the same as those that are cut first, beside
// others that are broken, small or of another kind of content.
func TestRunsAreDecodedUncut(t *testing.T) {
	run := func(name string, clusters int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"metadata":{"name":%q,"uid":"u-%s","resourceVersion":"3"},"spec":{"placementName":"p"},"status":{"stagesStatus":[{"stageName":"s","clusters":[`, name, name)
		for i := range clusters {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"clusterName":"%s-%d","conditions":[{"type":"Started","status":"True","message":"with \"quotes\" and {"}]}`, name, i)
		}
		return b.String() + `]}]}}`
	}
	items := []string{
		run("a", 300), run("b", 300), run("c", 900), run("d", 300), run("", 300), run("e", 300),
		`{"metadata":{"name":"f","annotations":{"x":1}},"status":{"stagesStatus":"` + strings.Repeat("x", 40_000) + `"}}`,
		run("g", 300), run("h", 2), run("i", 300), run("j", 300), `{"metadata":{"name":"k"},"status":{"conditions":[` + strings.Repeat(`{},`, decode.MaxParts/2) + `{}]}}`, run("l", 300),
	}
	body := `{"items":[` + strings.Join(items, ",") + `],"metadata":{"resourceVersion":"9"}}`
	columns := jsonpath.NewReader([]string{"run", "jsonpath:UID:.metadata.uid"})
	r := &Reader{All: &task.Group{}, Kind: engine.KindClusterStagedUpdateRun, Paths: columns, Most: mostObjects, Left: mostBytes, Held: held.New(memory.NewRoom()), Each: func(*Object) {}}
	list, err := r.Read(strings.NewReader(body))
	if err != nil || len(list.Items) != len(items) {
		t.Fatalf("%d objects, %v", len(list.Items), err)
	}
	for i, o := range list.Items {
		want := Decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, []byte(items[i]))
		if want.Value != nil {
			want.Paths = columns.Read([]byte(items[i]))
		}
		if want.Nameless {
			want.number(engine.HubName{}, 1)
		}
		if got, want := dump.Pretty(o), dump.Pretty(want); got != want {
			t.Errorf("object %d is\n%.300s\nwant\n%.300s", i, got, want)
		}
	}
	// A list that has more than is read is truncated at the same object.
	list, err = readAll(strings.NewReader(body), engine.KindClusterStagedUpdateRun, 3, func(*Object) {})
	if err != nil || len(list.Items) != 3 || !list.Truncated || list.ResourceVersion != "9" {
		t.Errorf("%d objects of at most 3, %+v", len(list.Items), err)
	}
}
