package screens

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/stagewatch/stagewatch/ui"
)

var update = flag.Bool("update", false, "write the pictures anew")

// TestPictures compares the pictures of docs/screens.md with what the screen draws now.
func TestPictures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w, h  int
		light bool
		keys  []string
	}{
		{name: "list", w: 120, h: 30},
		{name: "run", w: 120, h: 30, keys: []string{"enter"}},
		{name: "panes", w: 160, h: 40},
		{name: "approve", w: 120, h: 30, keys: []string{"/", "p", "a", "y", "m", "e", "n", "t", "s", "-", "a", "p", "i", "enter", "A"}},
		{name: "help", w: 120, h: 30, keys: []string{"?"}},
		{name: "light", w: 120, h: 30, light: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join("..", "..", "docs", "screens", tt.name+".svg")
			got := picture(t, screen(t, tt.w, tt.h, tt.light, tt.keys), tt.w, tt.h, !tt.light)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not up to date: run go generate ./ui/screens (%v)", file, err)
			}
		})
	}
}

// screen runs the program in a terminal of w by h and returns what it shows after the keys.
func screen(t *testing.T, w, h int, light bool, keys []string) (content string) {
	taken := recorded(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(taken))
		ctx, cancel := context.WithCancel(t.Context())
		dark := !light
		of := read(t, taken)
		m := ui.New(ctx, of, ui.Options{Now: time.Now(), Dark: &dark})
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(w, h), tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignalHandler())
		ended := make(chan error, 1)
		go func() {
			_, err := p.Run()
			ended <- err
		}()
		for _, k := range append([]string{""}, keys...) {
			if k == "enter" {
				p.Send(tea.KeyPressMsg{Code: tea.KeyEnter})
			} else if k != "" {
				p.Send(tea.KeyPressMsg{Code: []rune(k)[0], Text: k})
			}
			of.hear(time.Now().Add(-time.Second))
			time.Sleep(time.Second) // what the screen reads after a while is there
		}
		synctest.Wait()
		content = m.View().Content
		cancel()
		p.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return content
}
