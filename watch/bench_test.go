package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// runsPath is where cluster runs are served.
const runsPath = "/apis/" + apiVersion + "/clusterstagedupdateruns"

// wideRun is a run with many clusters that are done.
func wideRun(t testing.TB, name string, clusters int) map[string]any {
	o := aRun(t, "", name, name, "Run", "UpdateRunProgressing")
	list := make([]any, clusters)
	for i := range list {
		list[i] = fromYAML(t, `
clusterName: member-%04d
conditions:
- {type: Started, status: "True", reason: ClusterUpdatingStarted, message: Cluster update started, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
- {type: Succeeded, status: "True", reason: ClusterUpdatingSucceeded, message: Cluster update completed successfully, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
`, i)
	}
	o["status"].(map[string]any)["stagesStatus"].([]any)[0].(map[string]any)["clusters"] = list
	return o
}

// BenchmarkFirstLoad compares the time until a session is complete with a plain
// GET of the same runs, one after the other. Run it alone: -run xxx.
func BenchmarkFirstLoad(b *testing.B) {
	for _, size := range []struct{ runs, clusters int }{{20, 50}, {100, 1000}} {
		b.Run(fmt.Sprintf("%dx%d", size.runs, size.clusters), func(b *testing.B) {
			h, err := startHub(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := h.Stop(); err != nil {
					b.Error(err)
				}
			}()
			way, err := plainClient(h.AdminConfig())
			if err != nil {
				b.Fatal(err)
			}
			for i := range size.runs {
				create(b, way, wideRun(b, fmt.Sprintf("run-%03d", i), size.clusters))
			}
			var raw, whole, rows, rawCPU, wholeCPU time.Duration
			n := 0
			for b.Loop() {
				used := processCPU(b)
				raw += rawGet(b, way)
				rawCPU += processCPU(b) - used
				used = processCPU(b)
				first, complete := load(b, Config{REST: h.AdminConfig()}, size.runs)
				wholeCPU += processCPU(b) - used
				rows, whole, n = rows+first, whole+complete, n+1
			}
			b.ReportMetric(float64(raw.Milliseconds())/float64(n), "ms-raw-GET")
			b.ReportMetric(float64(rows.Milliseconds())/float64(n), "ms-first-rows")
			b.ReportMetric(float64(whole.Milliseconds())/float64(n), "ms-complete")
			b.ReportMetric(float64(whole)/float64(raw), "x-raw")
			// On a busy machine this tells more than the clock; it has the hub's part.
			b.ReportMetric(float64(wholeCPU)/float64(rawCPU), "x-raw-CPU")
			b.ReportMetric(float64(rawCPU.Milliseconds())/float64(n), "ms-raw-CPU")
		})
	}
}

// processCPU is the CPU time that this process, hub included, has used.
func processCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func create(b *testing.B, way rest.Interface, o map[string]any) {
	status := o["status"]
	at := way.Post().AbsPath(runsPath)
	for range 2 {
		body, err := json.Marshal(o)
		if err != nil {
			b.Fatal(err)
		}
		stored, err := answer(at.SetHeader("Content-Type", "application/json").Body(body).Do(context.Background()))
		if err != nil {
			b.Fatal(err)
		}
		o = map[string]any{}
		if err := json.Unmarshal(stored, &o); err != nil {
			b.Fatal(err)
		}
		name := o["metadata"].(map[string]any)["name"].(string)
		o["status"] = status
		at = way.Put().AbsPath(runsPath, name, "status")
	}
}

func rawGet(b *testing.B, way rest.Interface) time.Duration {
	began := time.Now()
	body, err := way.Get().AbsPath(runsPath).Stream(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer body.Close()
	if _, err := io.Copy(io.Discard, body); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func load(b *testing.B, cfg Config, runs int) (first, complete time.Duration) {
	began := time.Now()
	s, err := Open(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for {
		snap, err := s.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if first == 0 && len(snap.Runs) == runs {
			first = time.Since(began)
		}
		if live(snap) {
			return first, time.Since(began)
		}
	}
}
