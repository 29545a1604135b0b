package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// hubs are the contexts of the hubs in one list: those of --context with commas, of
// --all-contexts, or of the configuration; none for one hub.
func (o *options) hubs(conf *config.Config) ([]string, error) {
	o.several = false
	given, c := o.overrides.CurrentContext, &o.overrides
	patterns := conf.Hubs
	if o.allContexts != "" {
		patterns = []string{o.allContexts}
	}
	other := c.ClusterInfo.Server != "" || c.Context.Cluster != "" || c.Context.AuthInfo != "" || c.AuthInfo.Token != "" || c.AuthInfo.ClientCertificate != ""
	if len(patterns) == 0 && given == "" || o.allContexts == "" && (given != "" || other || o.kubeconfig != "") && !strings.Contains(given, ",") {
		return nil, nil
	}
	_, raw, err := contexts.Members{File: o.kubeconfig}.Kubeconfig()
	if err != nil {
		return nil, nil // the connection says what is wrong with it
	}
	names := contexts.Matching(raw, patterns)
	switch {
	case o.allContexts != "" && given != "":
		return nil, exit.Misuse(engine.Lit("--context and --all-contexts cannot be used together"), engine.Text{})
	case strings.Contains(given, ","):
		names = contexts.Listed(raw, given)
	case o.allContexts != "" && len(names) == 0:
		return nil, &exit.Failure{Code: exit.NotFound, What: engine.Textf("the kubeconfig has no context that matches %q", engine.Clean(o.allContexts)), Hint: contexts.Hint(raw)}
	}
	if len(names) > 1 && other {
		return nil, exit.Misuse(engine.Lit("--server, --cluster, --user, --token and client certificates apply to one hub only"), engine.Lit("name one context with --context"))
	}
	o.several = len(names) > 1
	return names, nil
}

// each are the jobs of all hubs.
func (j *job) each() []*job { return append([]*job{j}, j.others...) }

// openHubs is the opener of a screen that shows several hubs. One that cannot be reached is
// shown as such.
func openHubs(ctx context.Context, j *job, log io.Writer, panicked func(any)) (tea.Model, func(), error) {
	var sessions []*watch.Session
	closeAll := func() {
		for _, s := range sessions {
			s.Close()
		}
	}
	var hubs []fleet.Hub
	for _, of := range j.each() {
		cfg := of.watchConfig()
		cfg.OnPanic = panicked
		s, err := watch.Open(ctx, cfg)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		sessions = append(sessions, s)
		hubs = append(hubs, fleet.Hub{Hub: s.Named(), Session: &rememberer{Source: s, context: of.conn.Context, log: log}})
	}
	all := fleet.New(ctx, hubs, panicked)
	return ui.New(ctx, all, j.screenOptions(time.Now(), sessions)), func() {
		all.Close()
		j.leave(sessions)
		j.rememberView(log)
		closeAll()
	}, nil
}

// leave waits for the writes under way, and keeps what is not known of them.
func (j *job) leave(sessions []*watch.Session) {
	var unknown []engine.Text
	until := time.Now().Add(leaveWait)
	for _, s := range sessions {
		if left := s.Leave(time.Until(until)); !left.IsZero() {
			unknown = append(unknown, left)
		}
	}
	if len(unknown) > 0 {
		left := engine.Join(unknown, "; ")
		j.left.Store(&left)
	}
}

// partialFlag declares --partial of a command that only reads.
func (o *options) partialFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.partial, "partial", false, "with several hubs, accept that some do not answer; without it the exit code is 8")
}

// readEach reads all hubs of the list at the same time, and joins what they have. A hub
// that cannot be read is in the Snapshot with the reason, and in failed.
func readEach(ctx context.Context, j *job, read func(context.Context, *job) (*engine.Snapshot, []*engine.RunView, error)) (all *engine.Snapshot, rows []*engine.RunView, failed []error) {
	jobs := j.each()
	snaps, chosen, errs := make([]*engine.Snapshot, len(jobs)), make([][]*engine.RunView, len(jobs)), make([]error, len(jobs))
	var reads sync.WaitGroup
	for i, of := range jobs {
		reads.Go(func() { snaps[i], chosen[i], errs[i] = read(ctx, of) })
	}
	reads.Wait()
	var parts []*engine.Snapshot
	listed := map[*engine.RunView]bool{}
	for i, of := range jobs {
		if errs[i] != nil {
			hub := engine.Hub{Name: engine.NewHubName(of.conn.Context), Context: engine.Clean(of.conn.Context), Server: engine.Clean(of.conn.REST.Host)}
			parts = append(parts, fleet.Unread(hub, engine.Clean(errs[i].Error())))
			failed = append(failed, errs[i])
			continue
		}
		parts = append(parts, snaps[i])
		for _, v := range chosen[i] {
			listed[v] = true
		}
	}
	all = fleet.Merge(parts)
	for _, v := range all.Runs {
		if listed[v] {
			rows = append(rows, v)
		}
	}
	return all, rows, failed
}

// unreadHubs is the failure of a command that did not read all hubs; nil where that is
// accepted, and named on errs.
func (j *job) unreadHubs(s *engine.Snapshot, failed []error, errs io.Writer) error {
	var f *exit.Failure
	if len(failed) == len(j.each()) && errors.As(failed[0], &f) {
		return f
	}
	var why []engine.Text
	for _, h := range s.Hubs {
		if !h.Link.Err.IsZero() {
			why = append(why, engine.Textf("hub %s was not read: %s", h.Hub.Context, h.Link.Err))
		}
	}
	switch {
	case len(why) == 0:
		return nil
	case j.partial:
		for _, w := range why {
			exit.Say(errs, "note: %s\n", w)
		}
		return nil
	}
	hint := engine.Lit("name the hubs that answer with --context, or accept this with --partial")
	if j.writes {
		hint = engine.Lit("name the run's hub with --context")
	}
	return &exit.Failure{Code: exit.Unreachable, What: engine.Join(why, "; "), Hint: hint}
}

// pick returns the job of the hub that has the run: a command about one run is a command
// about one hub.
func (j *job) pick(ctx context.Context, t *terminal) (*job, error) {
	if len(j.others) == 0 {
		return j, nil
	}
	if j.run.IsZero() {
		return nil, exit.Misuse(engine.Lit("this command supports only one hub"), engine.Lit("name one context with --context"))
	}
	bar := tty.StartProgress(t.err, readingRuns)
	all, _, failed := readEach(ctx, j, func(ctx context.Context, of *job) (*engine.Snapshot, []*engine.RunView, error) {
		s, err := once(ctx, of, watch.Reading{NamesOnly: true})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Runs, nil
	})
	bar.Stop()
	if err := j.unreadHubs(all, failed, t.err); err != nil {
		return nil, err
	}
	m := j.run.In(all, j.scope)
	ids := m.IDs
	for _, v := range all.Runs {
		if len(m.IDs) == 0 && v.Word == engine.WordNoRun && v.Placement.RawName() == j.run.Raw() {
			ids = append(ids, v.ID)
		}
	}
	if len(ids) != 1 {
		return nil, matchFailure(&m)
	}
	for _, of := range j.each() {
		if of.conn.Context == ids[0].Hub().Raw() {
			exit.Say(t.err, "note: %s is on hub %s\n", ids[0].Title(), ids[0].Hub().Text())
			of.others = nil
			return of, nil
		}
	}
	return nil, matchFailure(&m)
}
