// Package profile writes profiles of the program itself, for go tool pprof and go tool trace:
// where its CPU goes, what its memory holds, what its goroutines do.
package profile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// Flag is the name of the flag, Help what it does.
const (
	Flag = "profile"
	Help = "write profiles of stagewatch itself: cpu=FILE, heap=FILE, trace=FILE, separated by commas"
)

// recording is one profile: begin starts it, end completes it.
type recording struct {
	kind       string
	begin, end func(io.Writer) error
}

func recordings() []recording {
	nothing := func(io.Writer) error { return nil }
	return []recording{
		{"cpu", pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{"heap", nothing, func(w io.Writer) error {
			runtime.GC() // the profile is that of the last collection
			return pprof.Lookup("heap").WriteTo(w, 0)
		}},
		{"trace", trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
	}
}

// Running are profiles that were begun; nil for none.
type Running struct {
	ends []func() error
	once sync.Once
	err  error
}

// Start begins the profiles that the value of the flag names.
func Start(value string) (*Running, error) {
	p := &Running{}
	for _, one := range strings.Split(value, ",") {
		kind, file, _ := strings.Cut(one, "=")
		i := slices.IndexFunc(recordings(), func(r recording) bool { return r.kind == kind })
		if i < 0 || file == "" {
			return nil, errors.Join(exit.Misuse(engine.Textf("invalid --profile %q", engine.Clean(one)), engine.Lit("use cpu=FILE, heap=FILE or trace=FILE, separated by commas")), p.Stop())
		}
		end, err := recordings()[i].start(file)
		if err != nil {
			return nil, errors.Join(err, p.Stop())
		}
		p.ends = append(p.ends, end)
	}
	return p, nil
}

// Stop completes the profiles. Once they are complete it only returns the error.
func (p *Running) Stop() error {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		failed := make([]error, len(p.ends))
		var work sync.WaitGroup
		for i, end := range p.ends { // side by side: a process that must end does not have long
			work.Go(func() { failed[i] = end() })
		}
		work.Wait()
		p.err = errors.Join(failed...)
	})
	return p.err
}

// Abandon completes the profiles before the process ends, whatever it does, and waits for
// that at most for a while.
func (p *Running) Abandon(wait time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		//nolint:errcheck // nobody is there any more
		p.Stop()
	}()
	select {
	case <-done:
	case <-time.After(wait):
	}
}

// start begins a recording into a file that only its owner reads.
func (r recording) start(file string) (stop func() error, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, exit.Misuse(engine.Clean(err.Error()), engine.Lit("name another file with --profile"))
	}
	if err := f.Chmod(0o600); err != nil { // one that was there keeps its mode
		return nil, errors.Join(fmt.Errorf("write %s profile: %w", r.kind, err), f.Close())
	}
	if err := r.begin(f); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s profile: %w", r.kind, err), f.Close())
	}
	return func() error {
		if err := errors.Join(r.end(f), f.Close()); err != nil {
			return fmt.Errorf("write %s profile: %w", r.kind, err)
		}
		return nil
	}, nil
}
