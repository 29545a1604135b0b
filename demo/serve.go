package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/demo/bench"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/scenario"
)

type demoOptions struct {
	scenario      string
	timing        timingFlags
	serve         bool
	kubeconfigOut string
	requestsOut   string
	untilEOF      bool
	noEngine      bool
	size          bench.Size // of the scenario scale
}

// scale is the scenario of a hub of a given size, which has no controller.
const scale = "scale"

// running is a hub with what it shows.
type running interface {
	Hub() *hub.Hub
	Contexts() []hub.Context
	Stop() error
}

// starter starts a scenario.
type starter func(context.Context, scenario.Options) (running, error)

func (o *demoOptions) add(flags *pflag.FlagSet) {
	flags.StringVar(&o.scenario, "scenario", "tour", "what to show: tour, incidents, healthy, empty or scale")
	addSize(flags, &o.size)
	flags.BoolVar(&o.noEngine, "no-engine", false, "leave the runs to another engine, see demo engine")
	o.timing.add(flags, "fast")
	flags.BoolVar(&o.serve, "serve", false, "no screen: serve the hub to other programs")
	flags.StringVar(&o.kubeconfigOut, "kubeconfig-out", "", "with --serve: the file that the kubeconfig is written to")
	flags.StringVar(&o.requestsOut, "requests-out", "", "with --serve: a file that every request to the hub is appended to, a JSON object a line, without bodies")
	flags.BoolVar(&o.untilEOF, "until-eof", false, "with --serve: end with stdin")
}

func (o *demoOptions) run(cmd *cobra.Command, in io.Reader) error {
	switch {
	case o.serve && o.kubeconfigOut == "":
		return usageError{errors.New("--serve needs --kubeconfig-out FILE")}
	case !o.serve && (o.kubeconfigOut != "" || o.requestsOut != "" || o.untilEOF):
		return usageError{errors.New("--kubeconfig-out, --requests-out and --until-eof need --serve")}
	}
	start, err := o.starter(cmd.Flags())
	if err != nil {
		return usageError{err}
	}
	timing, err := o.timing.timing()
	if err != nil {
		return err
	}
	played := scenario.Options{Timing: timing, NoEngine: o.noEngine, Log: slog.New(slog.DiscardHandler)}
	hub.Silence()
	if o.serve {
		return o.serveHub(cmd, in, start, played)
	}
	return showScreen(cmd, o.scenario, start, played)
}

// starter is what starts the scenario of the flags.
func (o *demoOptions) starter(flags *pflag.FlagSet) (starter, error) {
	if o.scenario == scale {
		return func(ctx context.Context, played scenario.Options) (running, error) {
			return bench.StartScale(ctx, o.size, played.Heard)
		}, o.size.Check()
	}
	for _, name := range sizeFlags {
		if flags.Changed(name) {
			return nil, fmt.Errorf("--%s needs --scenario %s", name, scale)
		}
	}
	s, err := scenario.Named(o.scenario)
	return func(ctx context.Context, played scenario.Options) (running, error) {
		return scenario.Start(ctx, s, played)
	}, err
}

// serveHub plays the scenario until it is told to end. That it ends is what was
// asked for, so a signal is no failure.
func (o *demoOptions) serveHub(cmd *cobra.Command, in io.Reader, start starter, played scenario.Options) (err error) {
	ctx, cancel := untilParentEnds(cmd.Context())
	defer cancel()
	if o.untilEOF {
		var stop context.CancelFunc
		ctx, stop = untilEOF(ctx, in)
		defer stop()
	}
	if o.requestsOut != "" {
		told, oerr := openRequests(o.requestsOut)
		if oerr != nil {
			return usageError{oerr}
		}
		defer func() { err = errors.Join(err, told.close()) }()
		played.Heard = told.note
	}
	f, err := start(ctx, played)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, f.Stop()) }()
	if err := f.Hub().WriteKubeconfig(o.kubeconfigOut, f.Contexts()...); err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, removeOwn(o.kubeconfigOut, f)) }()
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "demo: scenario %s is served at %s; kubeconfig: %s\n",
		o.scenario, f.Hub().URL(), o.kubeconfigOut); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	<-ctx.Done()
	return nil
}

// removeOwn removes a kubeconfig that leads to a hub that is about to end,
// unless somebody else has written the file since.
func removeOwn(path string, f running) error {
	own, err := f.Hub().Kubeconfig(f.Contexts()...)
	if err != nil {
		return err
	}
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("remove kubeconfig: %w", err)
	case !bytes.Equal(own, there):
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove kubeconfig: %w", err)
	}
	return nil
}
