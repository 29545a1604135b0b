package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// person is a model with somebody at it who presses, pastes and clicks whatever
// comes, while the hub moves, and an oracle that knows only what was on the
// screen and what was done.
type person struct {
	t *rapid.T
	m *Model
	f *fakeSource

	// listening is set when the keys have rested since the dialog opened.
	listening bool
	// typed are the letters that were typed, not pasted, into this dialog.
	typed string
	// shown is what this dialog has shown so far: a long one scrolls.
	shown string
	// sent counts what each dialog has sent.
	sent map[int]int
	n    int // the dialog that the above is about
}

// act gives the model a message and holds it to the promises.
func (p *person) act(msg tea.Msg) {
	m := p.m
	d := m.dialog.Status() // as it was when the message came
	was, sent := m.mode == modeDialog && d.Step == dialog.StepAsk, len(p.f.sent)
	if _, click := msg.(tea.MouseClickMsg); was || click {
		p.shown += inFrame(ansi.Strip(m.View().Content))
	}
	_, cmd := m.Update(msg)
	if key, ok := msg.(tea.KeyPressMsg); ok && was {
		if !p.listening && key.String() != "esc" && key.String() != "ctrl+c" && m.dialog.Status().Step != dialog.StepAsk {
			p.t.Fatalf("%s confirmed before the keys rested", key)
		}
		p.typed += key.Text
	}
	if m.dialog.Status().Number != p.n {
		p.n, p.listening, p.typed, p.shown = m.dialog.Status().Number, false, "", ""
	}
	if !m.dialog.Status().Armed {
		p.listening = false
	}
	sending := m.mode == modeDialog && m.dialog.Status().Step == dialog.StepSend
	if !was || !sending {
		if len(p.f.sent) > sent {
			p.t.Fatalf("%v sent without a dialog", msg)
		}
		return
	}
	key, ok := msg.(tea.KeyPressMsg)
	switch confirm := d.Intent.Confirm.String(); {
	case !ok:
		p.t.Fatalf("%T confirmed", msg)
	case d.Intent.Typed() && (key.String() != "enter" || !contains(p.typed, confirm)):
		p.t.Fatalf("%s confirmed; typed was %q, to be typed %q", key, p.typed, confirm)
	case !d.Intent.Typed() && key.String() != "y":
		p.t.Fatalf("%s confirmed", key)
	case !m.scene.Snap.WritesOff.IsZero():
		p.t.Fatal("sent while writes are off")
	}
	for cmd != nil && m.dialog.Status().Step == dialog.StepSend {
		msg := cmd()
		if _, cmd = m.Update(msg); len(p.f.sent) == 0 {
			p.t.Fatal("nothing was sent")
		}
		i := p.f.sent[len(p.f.sent)-1]
		if p.sent[d.Number]++; p.sent[d.Number] > max(1, len(d.Targets)) {
			p.t.Fatalf("dialog %d sent %d times", d.Number, p.sent[d.Number])
		}
		if m.scene.Snap.Find(i.Run) == nil {
			p.t.Fatalf("sent to %v, which is gone", i.Run.Title())
		}
		for _, x := range []string{m.scene.Snap.Hub.Context.String(), i.Target.Name().String()} {
			if !strings.Contains(p.shown, x) {
				p.t.Fatalf("%s was not on the screen:\n%s", x, p.shown)
			}
		}
	}
}

// shaken is a snapshot in which something has moved.
func shaken(t *rapid.T) *engine.Snapshot {
	s := waitingRuns()
	switch rapid.SampledFrom([]string{"same", "sorted", "gone", "anew", "off", "stopped", "changed"}).Draw(t, "snapshot") {
	case "sorted":
		i := rapid.IntRange(0, len(s.Runs)-1).Draw(t, "from")
		s.Runs = append(s.Runs[i:], s.Runs[:i]...)
	case "gone":
		s.Runs = slices.Delete(s.Runs, 0, rapid.IntRange(1, 6).Draw(t, "runs"))
	case "anew":
		for i, v := range s.Runs {
			again := *v
			again.ID = engine.NewID(v.ID.Kind(), v.ID.Namespace().String(), v.ID.Name().String(), "anew")
			s.Runs[i] = &again
		}
	case "off":
		s.WritesOff, s.Link.State = txt("the data is stale"), engine.LinkStale
	case "stopped":
		find(s, "example-run").Word = engine.WordStopped
	case "changed":
		find(s, "example-run").Updating = 7
	}
	return s
}

var personKeys = []string{
	"j", "k", "g", "G", "enter", "esc", "tab", "space", "y", "n", "a", "o", ":", "/", "?", "A", "R", "S", "C", "X", "ctrl+u", "up", "down", "e", "1", "ctrl+c",
}

// TestNothingIsDoneByAccident lets a person press, hold, paste and click at
// random while the hub moves. Whatever is sent was on the screen, confirmed by
// the right key or by the word typed out, after the keys had rested; once.
func TestNothingIsDoneByAccident(t *testing.T) {
	inOneGoroutine(t)
	sent := 0
	rapid.Check(t, func(rt *rapid.T) {
		m, f := withMouse(t, 100, 40, waitingRuns())
		f.reply = inboxOf(waitingRuns())
		p := &person{t: rt, m: m, f: f, sent: map[int]int{}}
		step := func(k string) { p.act(keyMsg(k)) }
		rest := func(*rapid.T) {
			p.act(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key})
			p.listening = p.listening || m.dialog.Status().Armed
		}
		word := func(*rapid.T) {
			if m.mode != modeDialog {
				return
			}
			for _, r := range m.dialog.Status().Intent.Confirm.String() {
				step(string(r))
			}
		}
		answers := func(*rapid.T) {
			p.act(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Check.Question)})
			for i := range m.dialog.Status().Targets {
				p.act(dialog.CheckedMsg{Dialog: m.dialog.Status().Number, Answer: took(m.dialog.Status().Targets[i].Check.Question)})
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"key": func(rt *rapid.T) { step(rapid.SampledFrom(personKeys).Draw(rt, "key")) },
			"hold": func(rt *rapid.T) {
				k := rapid.SampledFrom([]string{"y", "enter", "A", "S", "j", "space"}).Draw(rt, "key")
				for range 20 {
					step(k)
				}
			},
			"open": func(rt *rapid.T) {
				step("esc")
				step(rapid.SampledFrom([]string{"A", "S", "X", "C"}).Draw(rt, "key"))
			},
			"word": word,
			"command": func(rt *rapid.T) {
				if m.mode != modeBrowse {
					return
				}
				for _, k := range ":" + rapid.SampledFrom([]string{"stop", "delete", "appr", "runs"}).Draw(rt, "command") {
					step(string(k))
				}
				step("enter")
			},
			"paste": func(rt *rapid.T) {
				one := rapid.SampledFrom([]string{"y\n", "example-run\n", m.dialog.Status().Intent.Confirm.String() + "\n"}).Draw(rt, "text")
				p.act(tea.PasteMsg{Content: strings.Repeat(one, 100)})
			},
			"click": func(rt *rapid.T) {
				p.act(tea.MouseClickMsg{X: rapid.IntRange(0, 99).Draw(rt, "x"), Y: rapid.IntRange(0, 39).Draw(rt, "y"), Button: tea.MouseLeft})
			},
			"wheel": func(rt *rapid.T) {
				p.act(tea.MouseWheelMsg{Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}).Draw(rt, "wheel")})
			},
			"inbox": func(*rapid.T) {
				if s := m.sheet(); s != nil && s.IsAsking() {
					p.act(pageMsg{n: s.Number(), answer: f.reply(s.Question())})
				}
			},
			"hub":  func(rt *rapid.T) { p.act(nextMsg{snap: shaken(rt)}) },
			"rest": rest,
			"late timer": func(*rapid.T) {
				p.act(dialog.QuietMsg{Dialog: m.dialog.Status().Number, Key: m.dialog.Status().Key - 1})
			},
			"answers": answers,
			// What is done on purpose has to go through, or the rest shows nothing.
			"with care": func(rt *rapid.T) {
				step("esc")
				step(rapid.SampledFrom([]string{"A", "S", "X"}).Draw(rt, "key"))
				if m.mode != modeDialog {
					return
				}
				answers(rt)
				rest(rt)
				if !m.dialog.Status().Intent.Typed() {
					step("y")
					return
				}
				word(rt)
				step("enter")
			},
		})
		sent += len(f.sent)
	})
	t.Logf("%d writes were sent", sent)
	if sent == 0 {
		t.Error("nothing was ever sent: the test shows nothing")
	}
}

// contains reports whether all letters of word were typed, in their order.
func contains(typed, word string) bool {
	for _, c := range word {
		i := strings.IndexRune(typed, c)
		if i < 0 {
			return false
		}
		typed = typed[i+1:]
	}
	return true
}
