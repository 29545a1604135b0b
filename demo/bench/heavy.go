package bench

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// heavyText is the length of an annotation and of a message of a run in bytes: with it a run is
// a third of what etcd accepts.
const heavyText = 261_000

// contents are what such texts are made of. The first one is the easiest to decode.
var contents = []struct{ name, text string }{
	{"letters", strings.Repeat("a", heavyText)},
	{"newlines", strings.Repeat("\n", heavyText)},
	{"control characters", strings.Repeat("\x01", heavyText)},
	{"quoted JSON", // 2,000 deep
		strings.Repeat(strings.Repeat(`{"a":`, 2000)+"1"+strings.Repeat("}", 2000), heavyText/12_001)},
}

// heavyKeyOf names the figure of a content.
func heavyKeyOf(content string) string { return "key to frame, texts of " + content + ", p99" }

// incompressible names texts of random base64, which hardly compress, a fifth as long.
const incompressible = "random letters"

// burden gives a run the texts of a content.
func burden(run *placement.StagedUpdateRun, content string) {
	if content == incompressible {
		random := make([]byte, heavyText/5*3/4)
		rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%32s", run.Name)))).Read(random) //nolint:errcheck // it never fails
		run.Status.Conditions[0].Message = base64.StdEncoding.EncodeToString(random)
	}
	for _, c := range contents {
		if c.name == content {
			run.Annotations = map[string]string{"bench": c.text}
			run.Status.Conditions[0].Message = c.text
		}
	}
}

// heavy measures keys while a run with long texts arrives each second. Its floor are the keys
// while nothing changes.
func (b *bench) heavy(ctx context.Context, s *screen) error {
	if b.size.Clusters > usual.Clusters {
		return nil
	}
	for _, c := range contents {
		var all, rounds samples
		for range b.Times {
			keys, err := b.pressDuring(ctx, s, storm{Rate: 1, For: b.Window, Content: c.name})
			if err != nil {
				return err
			}
			all, rounds = append(all, keys...), append(rounds, keys.quantile(99))
		}
		f := rounds.figure(heavyKeyOf(c.name), unitTime)
		f.Value = all.quantile(99)
		if err := b.report(f.over(samples{b.idleKeys.quantile(99)}, "key to frame, idle, p99")); err != nil {
			return err
		}
	}
	return b.rewrite("") // the runs as they were
}

// pressDuring returns the times of the keys that were pressed during a storm.
func (b *bench) pressDuring(ctx context.Context, s *screen, o storm) (samples, error) {
	done := make(chan error, 1)
	go func() {
		_, err := b.hub.do(order{Storm: &o})
		done <- err
	}()
	var failed error
	over := false
	keys, err := s.presses(ctx, 1<<20, func() bool {
		select {
		case failed = <-done:
			over = true
		default:
		}
		return over
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case len(keys)%2 == 1: // leave the help page
		_, err = s.press(ctx, "?", isLive)
	}
	return keys, err
}
