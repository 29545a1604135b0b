package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

const (
	// answerDeaf is the time without input before a question is printed: input
	// from before must not answer it (docs/promises.md#i7).
	answerDeaf = 400 * time.Millisecond
	// answerAlone is how long no other line may follow an answer: a person types
	// one, a paste brings more.
	answerAlone = 150 * time.Millisecond
)

// confirm asks the person, unless --yes has answered already.
func (a *actOptions) confirm(ctx context.Context, i act.Intent, h engine.Hub, t *terminal, asker *person) error {
	if a.yes {
		if i.Protected && a.confirmContext == "" {
			return usage(engine.Textf("context %s is protected: --yes requires --confirm-context", h.Context),
				engine.Textf("add --confirm-context %s if this is the right hub", h.Context))
		}
		return nil
	}
	if !isTerminal(t.in) {
		return usage(engine.Lit("stdin is not a terminal, so confirmation is not possible"), engine.Lit("check with --dry-run, then add --yes"))
	}
	want := engine.Lit("y")
	if i.Typed() {
		want = i.Confirm
	}
	line, err := asker.ask(ctx, t.err, engine.Textf("Type %s to %s: ", want, engine.Clean(i.Act.String())))
	if err != nil {
		return err
	}
	if line != want.String() {
		return &failure{code: ExitInterrupted, what: engine.Lit("not confirmed; nothing was sent")}
	}
	return nil
}

// person is who answers questions at a terminal, a line at a time.
type person struct {
	in    io.Reader
	lines chan string // closed when there will be none any more; nil before the first question
}

// ask puts a question and returns the answer; it refuses what comes in more
// than one line. The end of ctx ends it.
func (p *person) ask(ctx context.Context, to io.Writer, question engine.Text) (string, error) {
	if p.lines == nil {
		p.lines = make(chan string)
		// A read of a terminal cannot be called off: it ends with the process,
		// which the command does at once when ctx ends.
		go p.read()
	}
	for forget(p.in); ; forget(p.in) {
		if _, typed, err := p.next(ctx, answerDeaf); err != nil {
			return "", err
		} else if !typed {
			break
		}
	}
	say(to, "%s", question)
	line, _, err := p.next(ctx, 0)
	if err != nil {
		return "", err
	}
	switch _, more, err := p.next(ctx, answerAlone); {
	case err != nil:
		return "", err
	case more:
		forget(p.in) // the rest must not go to the shell
		return "", &failure{
			code: ExitInterrupted, what: engine.Lit("not confirmed: got more than one line; nothing was sent"),
			hint: engine.Lit("type the answer after the prompt appears"),
		}
	}
	return line, nil
}

// next waits for a line, but no longer than wait; zero waits for ever. The end of
// the input is an empty line to who waits for ever, and nothing typed to others.
func (p *person) next(ctx context.Context, wait time.Duration) (line string, typed bool, err error) {
	var late <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-ctx.Done():
		return "", false, &failure{code: ExitInterrupted, what: engine.Lit("interrupted; nothing was sent")}
	case <-late:
		return "", false, nil
	case line, typed = <-p.lines:
		return line, typed, nil
	}
}

// read hands lines on until there are none.
func (p *person) read() {
	defer close(p.lines)
	for r := bufio.NewReader(p.in); ; {
		line, err := r.ReadString('\n')
		if err == nil || line != "" && errors.Is(err, io.EOF) {
			p.lines <- strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			return
		}
	}
}
