package tty

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A read that takes long is reported: on a terminal in one line that is gone at the end,
// elsewhere in a line for each change. A note never shares a line with it.
func TestProgressSaysWhatIsRead(t *testing.T) {
	t.Parallel()
	reads := func(terminal bool, do func(p *Progress)) string {
		var errs bytes.Buffer
		synctest.Test(t, func(*testing.T) {
			p := &Progress{errs: &errs, terminal: terminal, what: engine.Lit("reading runs"), ended: func() {}}
			p.start()
			do(p)
			p.Stop()
			p.Stop()
		})
		return errs.String()
	}
	long := func(p *Progress) {
		time.Sleep(progressAfter + 1)
		synctest.Wait()
		if _, err := io.WriteString(p, "note: only namespace shop\n"); err != nil {
			t.Error(err)
		}
		p.Reads(engine.Lit("asking members"))
		time.Sleep(logEvery + progressEvery/2)
	}
	for _, tt := range []struct {
		name     string
		terminal bool
		do       func(*Progress)
		want     string
	}{
		{"short on a terminal", true, func(*Progress) { time.Sleep(progressAfter - 1) }, ""},
		{"short elsewhere", false, func(*Progress) { time.Sleep(progressAfter - 1) }, ""},
		{"long elsewhere", false, long, "reading runs…\nnote: only namespace shop\nasking members…\n"},
		{"a new answer", false, func(p *Progress) { p.Reads(engine.Lit("reading runs")); time.Sleep(oldAfter); p.Done() }, "reading runs…\n"},
		{"an old answer", false, func(p *Progress) {
			time.Sleep(time.Minute)
			p.Reads(engine.Lit("reading runs"))
			time.Sleep(34 * time.Second)
			p.Done()
		}, "reading runs…\nnote: the read took 34s; some of this data may be up to 34s old\n"},
		{"an answer of two reads on a terminal", true, func(p *Progress) {
			p.Reads(engine.Lit("reading runs"))
			time.Sleep(oldAfter - time.Second)
			p.Reads(engine.Lit("asking members"))
			time.Sleep(2 * time.Second)
			p.Done()
		}, "\rreading runs…\rasking members…\r               \rnote: the read took 11s; some of this data may be up to 11s old\n"},
		{"a hub that comes late", false, func(p *Progress) { time.Sleep(time.Minute); p.Done() }, "reading runs…\n"},
		{"a long line on a terminal", true, func(p *Progress) {
			p.Reads(engine.Clean(strings.Repeat("x", 200)))
			time.Sleep(3 * time.Second)
		}, "\r" + strings.Repeat("x", 78) + "…\r" + strings.Repeat(" ", 79) + "\r"},
		{"no change elsewhere", false, func(*Progress) { time.Sleep(3 * logEvery) }, "reading runs…\n"},
		{"a note between two equal lines on a terminal", true, func(p *Progress) {
			time.Sleep(progressAfter + 1)
			synctest.Wait()
			_, _ = io.WriteString(p, "note\n")
			time.Sleep(progressEvery)
		}, "\rreading runs…\r             \rnote\n\rreading runs…\r             \r"},
		{"a note on a terminal", true, func(p *Progress) {
			time.Sleep(progressAfter + 1)
			synctest.Wait()
			_, _ = io.WriteString(p, "note\n")
			p.Reads(engine.Lit("asking members"))
			time.Sleep(progressEvery)
		}, "\rreading runs…\r             \rnote\n\rasking members…\r               \r"},
	} {
		if got := reads(tt.terminal, tt.do); got != tt.want {
			t.Errorf("%s: wrote %q, want %q", tt.name, got, tt.want)
		}
	}
}
