package cli

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/cli/internal/rows"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// openHubs is the opener of a screen that shows several hubs. One that cannot be reached is
// shown as such.
func openHubs(ctx context.Context, j *screen, log io.Writer, panicked func(any)) (tea.Model, func(), error) {
	var sessions []*watch.Session
	closeAll := func() {
		for _, s := range sessions {
			s.Close()
		}
	}
	var hubs []fleet.Hub
	for _, of := range j.Each() {
		cfg := of.WatchConfig()
		cfg.OnPanic = panicked
		s, err := watch.Open(ctx, cfg)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		sessions = append(sessions, s)
		hubs = append(hubs, fleet.Hub{Hub: s.Named(), Session: &rows.Source{Source: s, Context: of.Conn.Context, Log: log, Kept: j.kept}})
	}
	j.sessions.Store(&sessions)
	all := fleet.New(ctx, hubs, panicked)
	return ui.New(ctx, all, j.screenOptions(time.Now(), sessions, log)), func() {
		all.Close()
		j.leave(leaveWait)
		j.rememberView(log)
		closeAll()
	}, nil
}

// leave waits for the writes under way, at most for a while and once, and keeps what is not
// known of them.
func (j *screen) leave(wait time.Duration) {
	sessions := j.sessions.Swap(nil)
	if sessions == nil {
		return
	}
	var unknown []engine.Text
	until := time.Now().Add(wait)
	for _, s := range *sessions {
		if left := s.Leave(time.Until(until)); !left.IsZero() {
			unknown = append(unknown, left)
		}
	}
	if len(unknown) > 0 {
		left := engine.Join(unknown, "; ")
		j.left.Store(&left)
	}
}
