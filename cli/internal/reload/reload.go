// Package reload notices that the configuration was changed while a screen is open. The file
// is polled: a library that is notified would miss files on network directories.
package reload

import (
	"context"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui"
)

// every is the time between two looks at the file.
const every = time.Second

// Source returns the changes of the configuration, one after the other.
type Source struct {
	// first is what the session began with, last what applies now.
	first, last config.Config
	override    func(*config.Config)
	// looked is the file as last seen, applied as it was read; failed is set while it has errors.
	looked, applied stamp
	failed          bool
}

// stamp tells one state of the file from another. The zero stamp is that of no file.
type stamp struct {
	changed time.Time
	size    int64
}

// Hub is a hub of the session.
type Hub struct {
	Context string
	// Restrict makes the session as strict as settings, and reports whether it is not stricter.
	Restrict func(engine.Settings) bool
}

// Follow returns Next for the hubs of a session: a change that makes them stricter applies
// to them before it returns. One that makes them less strict needs another session.
func (s *Source) Follow(hubs []Hub) func(context.Context) (ui.Change, bool) {
	return func(ctx context.Context) (ui.Change, bool) {
		c, ok := s.Next(ctx)
		if !ok || !c.Err.IsZero() {
			return c, ok
		}
		same := true
		for _, h := range hubs {
			var set engine.Settings
			s.last.Apply(&set, h.Context)
			same = h.Restrict(set) && same
		}
		if !same {
			c.Reopens = append(c.Reopens, engine.Lit("fewer restrictions in contexts"))
		}
		return c, true
	}
}

// New returns the changes after the configuration that a session begins with; override sets
// what flags override.
func New(first config.Config, override func(*config.Config)) *Source {
	now := look()
	return &Source{first: first, last: first, override: override, looked: now, applied: now}
}

// look returns the stamp of the file.
func look() (s stamp) {
	if path, err := config.Path(); err == nil {
		if info, err := os.Stat(path); err == nil {
			s = stamp{info.ModTime(), info.Size()}
		}
	}
	return s
}

// Next waits for a change of what the screen uses, or for an error in the file; ok is false
// when ctx ended. A file is read when it has not changed for a second: an editor may write it
// in parts. Only one Next runs at a time.
func (s *Source) Next(ctx context.Context) (change ui.Change, ok bool) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return change, false
		case <-tick.C:
		}
		now := look()
		if now != s.looked || now == s.applied {
			s.looked = now
			continue
		}
		s.applied = now
		conf, err := config.Load()
		if err != nil {
			s.failed = true
			return ui.Change{Err: problem(err)}, true
		}
		s.override(&conf)
		if reflect.DeepEqual(conf, s.last) && !s.failed {
			continue
		}
		s.last, s.failed = conf, false
		return s.change(&conf), true
	}
}

// problem is an error without the path: the line must be on the screen.
func problem(err error) engine.Text {
	var wrong *config.Invalid
	if !errors.As(err, &wrong) {
		return engine.Clean(err.Error())
	}
	more := engine.Text{}
	if n := len(wrong.Problems) - 1; n > 0 {
		more = engine.Textf(" (and %d more)", n)
	}
	return engine.Textf("%s%s", engine.Clean(wrong.Problems[0]), more)
}

// change is what the screen takes of a configuration.
func (s *Source) change(conf *config.Config) ui.Change {
	c := Change(conf, column.Fields(s.first.Columns))
	for _, k := range []struct {
		key  engine.Text
		same bool
	}{
		{engine.Lit("hubs"), slices.Equal(conf.Hubs, s.first.Hubs)},
		{engine.Lit("members"), reflect.DeepEqual(conf.Members, s.first.Members)},
		{engine.Lit("memberQueries"), conf.MemberQueries == s.first.MemberQueries},
		{engine.Lit("aliases of contexts"), maps.Equal(conf.Aliases(), s.first.Aliases())},
		{engine.Lit("favourites"), slices.Equal(conf.Favourites(), s.first.Favourites())},
		{engine.Lit("new columns of labels, annotations and JSONPaths"), !slices.ContainsFunc(column.Fields(conf.Columns), func(name string) bool { return !slices.Contains(s.first.Columns, name) })},
	} {
		if !k.same {
			c.Reopens = append(c.Reopens, k.key)
		}
	}
	return c
}

// Change returns what the screen uses of a configuration. read are the fields that the
// session reads.
func Change(conf *config.Config, read []string) ui.Change {
	c := ui.Change{Theme: conf.Theme, Mouse: conf.Mouse, MostPanes: conf.MostPanes(), Notify: conf.Means(), Columns: column.Chosen(conf.Columns, read)}
	c.Keys, _ = conf.Keys.Map() // checked when it was read
	c.Themes, c.ContextColour = conf.OwnThemes(), conf.ContextColour
	for _, v := range conf.Views {
		c.Views = append(c.Views, ui.View{Name: v.Name, Filter: v.Filter, Sort: v.Sort, Descending: v.Descending})
	}
	return c
}
