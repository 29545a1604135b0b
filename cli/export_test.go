package cli

import (
	"context"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/profile"
)

// ShowModel shows a model of a test's own the way the screen is shown. The
// model may hand a panic of a goroutine to outside. profiles is the value of --profile.
func ShowModel(profiles string, makeModel func(outside func(any)) tea.Model, cleanup func()) int {
	t := terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if profiles != "" {
		var err error
		if t.profiles, err = profile.Start(profiles); err != nil {
			return exit.Report(t.err, err)
		}
	}
	j := &screen{Job: &job.Job{Conn: &contexts.Connection{REST: &rest.Config{}}}, program: program, cleanup: cleanup}
	open := func(_ context.Context, _ *screen, _ io.Writer, outside func(any)) (tea.Model, func(), error) {
		return makeModel(outside), func() {}, nil
	}
	code, err := show(context.Background(), j, &t, open)
	if err != nil {
		return exit.Report(t.err, err)
	}
	return code
}
