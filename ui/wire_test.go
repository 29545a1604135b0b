package ui

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// countingWriter is a terminal that counts what is written to it.
type countingWriter struct{ n atomic.Int64 }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n.Add(int64(len(p)))
	return len(p), nil
}

// BenchmarkBytes measures what a snapshot in which one run made progress costs on the
// wire, on the list and on the opened run.
func BenchmarkBytes(b *testing.B) {
	for name, keys := range map[string][]string{"list": nil, "run": {"enter"}} {
		b.Run(name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			f, dark, out := newFake(), true, &countingWriter{}
			f.reply = samplePage
			p := tea.NewProgram(New(ctx, f, Options{Now: t0, Dark: &dark}), tea.WithInput(nil), tea.WithOutput(out), tea.WithWindowSize(120, 40),
				tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler(), tea.WithFPS(120), tea.WithContext(ctx))
			done := make(chan struct{})
			go func() { defer close(done); _, _ = p.Run() }()
			show := func(i int) {
				s := sample()
				v := *s.Runs[0]
				v.Done, v.Stages[0].Done = i%5, i%5
				s.Runs[0] = &v
				s.Detail = detail(s, &v)
				p.Send(nextMsg{snap: s})
				time.Sleep(30 * time.Millisecond)
			}
			show(0)
			for _, k := range keys {
				p.Send(keyMsg(k))
			}
			show(0)
			time.Sleep(100 * time.Millisecond)
			was, n := out.n.Load(), 0
			for b.Loop() {
				n++
				show(n)
			}
			b.ReportMetric(float64(out.n.Load()-was)/float64(n), "bytes/change")
			cancel()
			<-done
		})
	}
}
