package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
)

// viewKey names the hubs of the list, for which the present view is remembered.
func (j *screen) viewKey() string {
	var names []string
	for _, of := range j.Each() {
		names = append(names, of.Conn.Context)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// lastView is the view that was shown last; one that is no longer configured is left out.
func (j *screen) lastView() string {
	name := statedir.Default().View(j.viewKey())
	if !slices.ContainsFunc(j.Config.Views, func(v config.View) bool { return v.Name == name }) {
		return ""
	}
	return name
}

// viewed notes which view is shown.
func (j *screen) viewed(name string) { j.view.Store(&name) }

// rememberView keeps the view for the next start.
func (j *screen) rememberView(log io.Writer) {
	if name := j.view.Load(); name != nil {
		if err := statedir.Default().RememberView(j.viewKey(), *name); err != nil {
			exit.Say(log, "%v\n", err)
		}
	}
}
