package history

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// floodedHub is the variable with the address of the hub for watchFlood.
const floodedHub = "STAGEWATCH_FLOODED_HUB"

// flood is what watchFlood prints.
type flood struct {
	Memory   uint64 // that the process has got from the operating system
	Complete bool   // whether a Snapshot is called complete
	Notes    string // what is incomplete in the last Snapshot
	Err      string // of its link
}

// watchFlood watches a hub in a process of its own, until what is wrong with its lists is
// named and some time after it.
func watchFlood(hub string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	session, err := watch.Open(ctx, watch.Config{Context: "hub", REST: &rest.Config{Host: hub}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var out flood
	for {
		snap, err := session.Next(ctx)
		if err != nil {
			break
		}
		out.Complete = snap.Complete
		named := out.Notes+out.Err != ""
		out.Notes, out.Err = fmt.Sprint(snap.Scope.Notes), snap.Link.Err.String()
		if !strings.Contains(out.Notes, "truncated") {
			out.Notes = ""
		}
		if !named && out.Notes+out.Err != "" {
			var end context.CancelFunc
			ctx, end = context.WithTimeout(ctx, time.Second)
			defer end()
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	out.Memory = stats.Sys
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return 1
	}
	return 0
}

// floods are bodies of lists, each as what begins it and what follows without end. Where
// the latter has %d it is a number.
var floods = map[string]struct{ head, chunk string }{
	"objects":        {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d","uid":"u-%d"},"spec":{"placementName":"p-%d"}}`},
	"large objects":  {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d","annotations":{"a":"` + strings.Repeat("a", 1<<20) + `"}},"status":{"conditions":[{"message":"` + strings.Repeat("m", 1<<20) + `"}]}}`},
	"clusters":       {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d"},"status":{"stagesStatus":[{"clusters":[{}` + strings.Repeat(`,{}`, 45_000) + `]}]}}`},
	"conditions":     {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d"},"status":{"conditions":[{}` + strings.Repeat(`,{}`, 45_000) + `]}}`},
	"empty values":   {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d"},"status":{"stagesStatus":[{}` + strings.Repeat(`,{}`, 45_000) + `]}}`},
	"too many":       {`{"metadata":{"resourceVersion":"100"},"items":[{}`, `,{"metadata":{"name":"o-%d"},"status":{"stagesStatus":[{}` + strings.Repeat(`,{}`, 5_000_000) + `]}}`},
	"spaces":         {`{"metadata":{"resourceVersion":"100"},"items":[`, strings.Repeat(" ", 1<<20)},
	"no version yet": {`{"items":[{}`, `,{"metadata":{"name":"o-%d","uid":"u-%d"},"spec":{"placementName":"p-%d"}}`},
	"one value":      {`{"metadata":{"resourceVersion":"100"},"items":[{"a":"`, strings.Repeat("a", 1<<20)},
}

// pour answers with a flood that ends with the connection.
func pour(w http.ResponseWriter, r *http.Request, head, chunk string, compressed bool) {
	w.Header().Set("Content-Type", "application/json")
	if compressed {
		w.Header().Set("Content-Encoding", "gzip")
	}
	pack := func(text string) []byte {
		if !compressed {
			return []byte(text)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, text) // into memory
		z.Close()
		return b.Bytes()
	}
	w.Write(pack(head))
	same := pack(chunk)
	for n := 0; r.Context().Err() == nil; {
		packed := same
		if strings.Contains(chunk, "%d") {
			var b strings.Builder
			for b.Len() < 1<<18 {
				n++
				b.WriteString(strings.ReplaceAll(chunk, "%d", fmt.Sprint(n)))
			}
			packed = pack(b.String())
		}
		if _, err := w.Write(packed); err != nil {
			return
		}
	}
}

// usualFloods are those that are tried without the flag -history.
var usualFloods = []string{"objects", "large objects, compressed", "pages"}

// TestFloods checks, for servers that send without end, that the program stays under 1 GiB
// of memory, and says what it did not read (docs/promises.md#i15).
func TestFloods(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector needs memory of its own")
	}
	t.Parallel()
	type handler func(w http.ResponseWriter, r *http.Request)
	lists := func(answer handler) handler {
		server := faults.NewAPIServer()
		return func(w http.ResponseWriter, r *http.Request) {
			if faults.Lists(r) && !strings.Contains(r.Header.Get("Accept"), "as=") {
				answer(w, r)
				return
			}
			server.ServeHTTP(w, r)
		}
	}
	attacks := map[string]handler{
		"pages": lists(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"100","continue":"more"},"items":[{}`)
			for i := range 100 {
				fmt.Fprintf(w, `,{"metadata":{"name":"o-%d-%d","annotations":{"a":"%s"}}}`, time.Now().UnixNano(), i, strings.Repeat("a", 4<<10))
			}
			fmt.Fprint(w, `]}`)
		}),
		"a million": lists(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"100"},"items":[{}`)
			for i := range 1_000_000 {
				fmt.Fprintf(w, `,{"metadata":{"name":"o-%d","uid":"u-%d","resourceVersion":"7"},"spec":{"placementName":"p","state":"Run"},"status":{"conditions":[{"type":"Progressing","status":"True","reason":"r"}]}}`, i, i)
			}
			fmt.Fprint(w, `]}`)
		}),
	}
	server := faults.NewAPIServer()
	attacks["events"] = func(w http.ResponseWriter, r *http.Request) {
		if !faults.LongWatches(r) {
			server.ServeHTTP(w, r)
			return
		}
		annotation := strings.Repeat("a", 64<<10)
		for n := 200; r.Context().Err() == nil; n++ {
			if _, err := fmt.Fprintf(w, `{"type":"ADDED","object":{"metadata":{"name":"o-%d","resourceVersion":"%d","annotations":{"a":"%s"}}}}`, n, n, annotation); err != nil {
				return
			}
		}
	}
	for name, f := range floods {
		attacks[name] = lists(func(w http.ResponseWriter, r *http.Request) { pour(w, r, f.head, f.chunk, false) })
		attacks[name+", compressed"] = lists(func(w http.ResponseWriter, r *http.Request) { pour(w, r, f.head, f.chunk, true) })
	}
	for name, attack := range attacks {
		if *long == 0 && !slices.Contains(usualFloods, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			hub := httptest.NewServer(http.HandlerFunc(attack))
			defer hub.Close()
			defer hub.CloseClientConnections()
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), floodedHub+"="+hub.URL)
			child.Stderr = os.Stderr
			began := time.Now()
			raw, err := child.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got flood
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d MiB in %v, notes %.200s, link %q", got.Memory>>20, time.Since(began).Round(100*time.Millisecond), got.Notes, got.Err)
			if got.Memory > 1<<30 || got.Complete || got.Notes+got.Err == "" {
				t.Errorf("%d MiB, complete %v, notes %s, link %q", got.Memory>>20, got.Complete, got.Notes, got.Err)
			}
		})
	}
}
