//go:build linux || darwin

package cli_test

import (
	"testing"
	"time"
)

// BenchmarkFirstFrame measures what the whole process costs until its first
// frame is on the terminal and it has ended again.
func BenchmarkFirstFrame(b *testing.B) {
	bin, err := buildStagewatch()
	if err != nil {
		b.Fatal(err)
	}
	config := configFor(b, deadAddress(b))
	var wall, cpu time.Duration
	for b.Loop() {
		began := time.Now()
		s := start(b, 120, 40, nil, bin, "--kubeconfig", config)
		s.see(`ctx`)
		wall += time.Since(began)
		s.keys("q")
		if code := s.ended(patience); code != 0 {
			b.Fatalf("exit code %d", code)
		}
		cpu += s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(wall.Milliseconds())/float64(b.N), "wall-ms/frame")
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/process")
}
