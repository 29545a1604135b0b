package tty

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// promptSilence is the time without input before a question is printed: input from
	// before must not answer it (docs/promises.md#i7). It is measured in parts, so that
	// lines that wait to be read are read while the program goes on after a standstill.
	promptSilence = 400 * time.Millisecond
	silenceParts  = 4
	// answerAlone is how long no other line may follow an answer: a person types
	// one, a paste brings more.
	answerAlone = 150 * time.Millisecond
)

// ErrManyLines is an answer of more than one line, as a paste brings it.
var ErrManyLines = errors.New("more than one line")

// Prompt asks questions on a terminal, each answered by one line. It is for one
// goroutine.
type Prompt struct {
	// In is where answers are typed.
	In io.Reader

	lines chan string // closed when there will be none any more; nil before the first question
}

// Ask prints a question to a terminal and returns the line that was typed after
// it: ErrManyLines for more than one, ErrInterrupted when ctx ends.
func (p *Prompt) Ask(ctx context.Context, to io.Writer, question string) (string, error) {
	if p.lines == nil {
		p.lines = make(chan string)
		// A read of a terminal cannot be canceled: it ends with the process, which
		// the command ends when ctx ends.
		go p.read()
	}
	forget(p.In)
	for left := silenceParts; left > 0; left-- {
		if _, typed, err := p.next(ctx, promptSilence/silenceParts); err != nil {
			return "", err
		} else if typed {
			forget(p.In)
			left = silenceParts + 1
		}
	}
	if _, err := io.WriteString(to, question); err != nil {
		return "", fmt.Errorf("print question: %w", err)
	}
	line, _, err := p.next(ctx, 0)
	if err != nil {
		return "", err
	}
	switch _, more, err := p.next(ctx, answerAlone); {
	case err != nil:
		return "", err
	case more:
		forget(p.In) // the rest must not go to the shell
		return "", ErrManyLines
	}
	return line, nil
}

// next returns the next line, and false when none was typed within wait; zero
// waits without limit. After the end of the input no line is typed.
func (p *Prompt) next(ctx context.Context, wait time.Duration) (line string, typed bool, err error) {
	var late <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-ctx.Done():
		return "", false, ErrInterrupted
	case <-late:
		return "", false, nil
	case line, typed = <-p.lines:
		return line, typed, nil
	}
}

// read sends each line of the input to lines, and closes it at the end.
func (p *Prompt) read() {
	defer close(p.lines)
	for r := bufio.NewReader(p.In); ; {
		line, err := r.ReadString('\n')
		if err == nil || line != "" && errors.Is(err, io.EOF) {
			p.lines <- strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			return
		}
	}
}
