package job

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/fleet"
)

// ReadEach reads all hubs of the list at the same time, and joins what they have. A hub
// that cannot be read is in the Snapshot with the reason, and in failed.
func ReadEach(ctx context.Context, j *Job, read func(context.Context, *Job) (*engine.Snapshot, []*engine.RunView, error)) (all *engine.Snapshot, rows []*engine.RunView, failed []error) {
	jobs := j.Each()
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
			hub := engine.Hub{Name: engine.NewHubName(of.Conn.Context, of.Settings.Alias), Context: engine.Clean(of.Conn.Context), Server: engine.Clean(of.Conn.REST.Host)}
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

// UnreadHubs is the failure of a command that did not read all hubs; nil where that is
// accepted, and named on errs.
func (j *Job) UnreadHubs(s *engine.Snapshot, failed []error, errs io.Writer) error {
	var f *exit.Failure
	none := len(failed) == len(j.Each()) && errors.As(failed[0], &f)
	if none && len(failed) == 1 {
		return f
	}
	var why []engine.Text
	for _, h := range s.Hubs {
		if !h.Link.Err.IsZero() {
			why = append(why, engine.Textf("hub %s was not read: %s", h.Hub.Context, h.Link.Err))
		}
	}
	switch {
	case none:
		return &exit.Failure{Code: f.Code, What: engine.Join(why, "; "), Hint: f.Hint}
	case len(why) == 0:
		return nil
	case j.Partial:
		for _, w := range why {
			exit.Say(errs, "note: %s\n", w)
		}
		return nil
	}
	f = Unread(why)
	if j.Writes {
		f.Hint = engine.Lit("name the run's hub with --context")
	}
	return f
}

// Namespaces returns what lists the namespaces of hubs that a screen is limited to one of, as
// far as they were read; nil for a screen of all, whose runs name them.
func (j *Job) Namespaces(sessions []*watch.Session) func() []engine.Text {
	if j.Namespace == "" {
		return nil
	}
	return func() (all []engine.Text) {
		for _, s := range sessions {
			all = append(all, s.Namespaces()...)
		}
		return all
	}
}

// Unread is the failure for hubs of a list that were not read, with the reasons.
func Unread(why []engine.Text) *exit.Failure {
	return &exit.Failure{
		Code: exit.Unreachable, What: engine.Join(why, "; "),
		Hint: engine.Lit("use --context to name only the hubs that respond, or --partial to continue without the others"),
	}
}

// Pick returns the job of the hub that has the run: a command about one run is a command
// about one hub. With an error it returns j.
func (j *Job) Pick(ctx context.Context, errs io.Writer) (*Job, error) {
	if len(j.Others) == 0 {
		return j, nil
	}
	if j.Run.IsZero() {
		return j, exit.Misuse(engine.Lit("this command supports only one hub"), engine.Lit("name one context with --context"))
	}
	bar := j.StartProgress(errs, ReadingRuns)
	all, _, failed := ReadEach(ctx, j, func(ctx context.Context, of *Job) (*engine.Snapshot, []*engine.RunView, error) {
		s, err := Once(ctx, of, watch.Reading{NamesOnly: true})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Runs, nil
	})
	bar.Stop()
	if err := j.UnreadHubs(all, failed, errs); err != nil {
		return j, err
	}
	m := j.Run.In(all, j.Scope)
	ids := m.IDs
	for _, v := range all.Runs {
		if len(m.IDs) == 0 && v.Word == engine.WordNoRun && v.Placement.RawName() == j.Run.Raw() {
			ids = append(ids, v.ID)
		}
	}
	if len(ids) != 1 {
		return j, MatchFailure(&m)
	}
	for _, of := range j.Each() {
		if of.Conn.Context == ids[0].Hub().Raw() {
			exit.Say(errs, "note: %s is on hub %s\n", ids[0].Title(), ids[0].Hub().Context())
			of.Others = nil
			return of, nil
		}
	}
	return j, MatchFailure(&m)
}
