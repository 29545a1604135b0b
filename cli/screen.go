package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/build"
	"github.com/stagewatch/stagewatch/cli/internal/contexts"
	"github.com/stagewatch/stagewatch/cli/internal/hook"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/cli/internal/reload"
	"github.com/stagewatch/stagewatch/cli/internal/rows"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// ScreenConfig is what a program other than stagewatch says to open the same
// screen on a hub.
type ScreenConfig struct {
	// Program is the name in front of lines on stderr.
	Program string
	// Kubeconfig is the path of a kubeconfig file; Context one of its contexts,
	// the current one when empty.
	Kubeconfig, Context string
	// Settings are those of engine; without a scope, both are watched.
	Settings engine.Settings
	// Members names the kubeconfig contexts of member clusters, as the
	// configuration does.
	Members map[string]string
	// Color is auto, always or never; auto when empty.
	Color string
	// ASCII restricts output to ASCII characters. A locale other than UTF-8
	// sets it, too.
	ASCII bool
	// LogFile takes what is not for the screen; nowhere when empty.
	LogFile string
	// Cleanup is called, from any goroutine and for at most 250 ms, before the
	// process ends because of a panic or a terminal that hangs.
	Cleanup func()
}

// ScreenTerminal says why the program's own terminal can have no screen; nil
// when it can.
func ScreenTerminal() error {
	switch {
	case !tty.IsTerminal(os.Stdin) || !tty.IsTerminal(os.Stdout):
		return errors.New("stdin and stdout must be a terminal for the screen")
	case tty.Dumb(os.Getenv):
		return errors.New("this terminal (TERM=dumb) cannot show a screen")
	}
	return nil
}

// Screen opens the screen on stdin and stdout and returns the exit code
// (docs/commands.md) when it is closed; messages are on stderr then. It handles
// SIGINT, SIGTERM, SIGHUP and SIGQUIT while it is open; the end of ctx ends it,
// too.
func Screen(ctx context.Context, cfg ScreenConfig) int {
	name := cfg.Program
	if name == "" {
		name = program
	}
	j, err := cfg.job()
	if err != nil {
		return exit.Report(os.Stderr, err)
	}
	if err := ScreenTerminal(); err != nil {
		return exit.Report(os.Stderr, exit.Misuse(engine.Clean(err.Error()), engine.Text{}))
	}
	t := terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	code, err := openScreen(ctx, &screen{Job: j, program: name, cleanup: cfg.Cleanup}, &t)
	if err != nil {
		// Not os.Stderr, which a panic leaves redirected.
		return exit.Report(t.err, err)
	}
	return code
}

// job is what the configuration asks for. It makes no request.
func (c ScreenConfig) job() (*job.Job, error) {
	conn, err := contexts.Connect(c.Kubeconfig, &clientcmd.ConfigOverrides{CurrentContext: c.Context}, build.UserAgent())
	if err != nil {
		return nil, err
	}
	conf := config.Default()
	conf.Members = c.Members
	j := &job.Job{
		Conn: conn, Fallback: conn.Namespace, Settings: c.Settings, Color: c.Color,
		ASCII: c.ASCII || tty.ASCIILocale(os.Getenv), LogFile: c.LogFile,
		Config: conf, MemberQueries: true, Scope: runref.Scope{Default: conn.Namespace},
	}
	if !j.Settings.ClusterRuns && !j.Settings.NamespacedRuns {
		j.Settings.ClusterRuns, j.Settings.NamespacedRuns = true, true
	}
	j.Elsewhere = func(present string, to ui.Switch) (*job.Job, error) {
		other := c
		other.Context = cmp.Or(to.Context, present)
		next, err := other.job()
		if err == nil && to.InNamespace {
			next.Namespace, next.Scope.Namespace = to.Namespace, to.Namespace
		}
		return next, err
	}
	return j, nil
}

// screen is a job with a screen, and what the session leaves to what comes after it.
type screen struct {
	*job.Job
	// program is the name in front of lines on stderr.
	program string
	// cleanup runs before the process ends in an emergency; may be nil.
	cleanup func()
	// hooks executes the program of notifications while the screen is open.
	hooks *hook.Runner
	// sessions are those of the hubs, for an end in an emergency.
	sessions atomic.Pointer[[]*watch.Session]
	// left is the write whose outcome was not known when the screen was left.
	left atomic.Pointer[engine.Text]
	// kept are the rows of the hubs.
	kept *rows.Kept
	// view is the saved view that is shown; nil for none since the start.
	view atomic.Pointer[string]
	// next is the screen that opens when this one has ended, nil for none; notice is shown
	// when a screen opens. to is what a screen is opened for.
	next       *screen
	notice, to engine.Text
}

// opener makes what the screen shows; closing it ends its streams. What they
// log goes to log, and their goroutines hand a panic to panicked.
type opener func(ctx context.Context, j *screen, log io.Writer, panicked func(any)) (model tea.Model, closeStreams func(), err error)

// openScreen shows hubs until the screen is left; one that cannot be opened leads back.
func openScreen(ctx context.Context, j *screen, t *terminal) (int, error) {
	j.kept = &rows.Kept{}
	var before *screen
	for back := false; ; {
		code := exit.OK
		var err error
		if !back { // it keeps its login
			err = logIn(ctx, j, t)
		}
		if back = false; err == nil {
			j.next = nil
			open := openHub
			if len(j.Others) > 0 {
				open = openHubs
			}
			code, err = show(ctx, j, t, open)
		}
		var f *exit.Failure
		switch {
		case err != nil && before != nil && errors.As(err, &f) && f.Code != exit.Failed && f.Code != exit.Interrupted:
			before.notice = engine.Textf("Cannot %s: %s.", j.to, f.Brief())
			j, before, back = before, nil, true
		case err != nil || code != exit.OK || j.next == nil:
			return code, err
		default:
			j, before = j.next, j
		}
	}
}

// switchTo prepares the screen that opens after the present one, or returns why it cannot.
func (j *screen) switchTo(to ui.Switch) engine.Text {
	next, err := j.Elsewhere(j.Conn.Context, to)
	var f *exit.Failure
	switch {
	case errors.As(err, &f):
		return f.Brief()
	case err != nil:
		return engine.Clean(err.Error())
	}
	next.ASCII = j.ASCII
	if to.Reopen {
		j.keepLogins(next, to.LogIn)
	}
	j.next = &screen{Job: next, program: j.program, cleanup: j.cleanup, kept: &rows.Kept{}, to: engine.Lit("switch")}
	if to.LogIn || to.Context == j.Conn.Context { // its rows are shown until the hub answers
		j.next.kept = j.kept
	}
	switch {
	case to.LogIn:
		j.next.to = engine.Lit("log in again")
	case to.Reopen:
		j.next.notice = engine.Lit("The changed configuration is applied.")
	}
	return engine.Text{}
}

// keepLogins keeps the logins that hubs accept: their credential plugins do not ask again. A person
// who logs in again while no login is rejected means all of them.
func (j *screen) keepLogins(next *job.Job, again bool) {
	known, none := map[string]*watch.Credential{}, true
	for _, of := range next.Each() {
		for i, was := range j.Each() {
			// There are no sessions once the program leaves.
			if sessions := j.sessions.Load(); sessions != nil && was.Conn.Context == of.Conn.Context {
				login, rejected := (*sessions)[i].Login(of.Conn.REST)
				known[of.Conn.Context], none = login, none && !rejected
			}
		}
	}
	if !again || !none {
		for _, of := range next.Each() {
			of.Known = known[of.Conn.Context]
		}
	}
}

// logIn lets a credential plugin ask on the terminal before the screen takes it. A signal
// kills the plugin, which cannot restore the terminal then: a password is typed without echo.
// No other handler receives signals meanwhile: the screen before has ended, and the next one
// installs its own.
func logIn(ctx context.Context, j *screen, t *terminal) error {
	ctx, stop := t.untilSignal(ctx)
	defer stop()
	defer tty.KeepModes(t.in)()
	for _, of := range j.Each() {
		if of.Known != nil {
			continue
		}
		known, err := watch.LogIn(ctx, of.Conn.REST, t.in, t.err)
		switch {
		case ctx.Err() != nil:
			return &exit.Failure{Code: exit.Interrupted, What: engine.Lit("interrupted during login")}
		case err != nil && len(j.Others) > 0: // the screen shows why this hub cannot be read
			exit.Say(t.err, "%s: %s\n", engine.Clean(of.Conn.Context), engine.Clean(err.Error()))
		case err != nil:
			return &exit.Failure{Code: exit.Forbidden, What: engine.Clean(err.Error()), Hint: engine.Lit("log in, then start stagewatch again")}
		}
		of.Known = known
	}
	return nil
}

// openHub is the opener of the real screen.
func openHub(ctx context.Context, j *screen, log io.Writer, panicked func(any)) (tea.Model, func(), error) {
	watch.Quiet(log)
	cfg := j.WatchConfig()
	cfg.OnPanic = panicked
	session, err := watch.Open(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	if err := session.CheckNamespace(ctx); err != nil {
		session.Close()
		return nil, nil, job.OnceFailure(ctx, j.Job, err)
	}
	j.sessions.Store(&[]*watch.Session{session})
	model := ui.New(ctx, &rows.Source{Source: session, Context: j.Conn.Context, Log: log, Kept: j.kept}, j.screenOptions(time.Now(), []*watch.Session{session}, log))
	return model, func() {
		j.leave(leaveWait)
		j.rememberView(log)
		session.Close()
	}, nil
}

// screenOptions are what the screen of the sessions starts with.
func (j *screen) screenOptions(now time.Time, sessions []*watch.Session, log io.Writer) ui.Options {
	all, likely := j.Contexts()
	o := ui.Options{
		Hubs: likely, Contexts: all, Namespaces: j.Namespaces(sessions), Switch: j.switchTo, Notice: j.notice,
		Change: reload.Change(&j.Config, j.Settings.Fields), View: j.lastView(), Viewed: j.viewed,
		Start: j.Run, Scope: j.Scope, Now: now, ASCII: j.ASCII,
		// The console of Linux prints what it does not know.
		BellOnly: os.Getenv("TERM") == "linux",
		Hook: func(s *engine.Snapshot, e ui.Event) ui.Execution {
			document := output.NotificationOf(s, e.ID, e.Run, e.At, e.Was, e.Text)
			return func(ctx context.Context, program []string) error { return j.hooks.Run(ctx, program, document) }
		},
		Log: func(x engine.Text) { exit.Say(log, "%s\n", x) },
	}
	if j.Changes != nil {
		var hubs []reload.Hub
		for i, of := range j.Each() {
			hubs = append(hubs, reload.Hub{Context: of.Conn.Context, Restrict: sessions[i].Restrict})
		}
		o.Changes = j.Changes.Follow(hubs)
	}
	return o
}

// leaveWait is how long a screen that was left, or a command that was interrupted, waits for
// the answer to a write: the program ends within a second.
const leaveWait = 500 * time.Millisecond

// show runs a screen until it is left. Both streams of t are terminals.
func show(ctx context.Context, j *screen, t *terminal, open opener) (int, error) {
	log, err := tty.OpenJournal(j.LogFile)
	if err != nil {
		return 0, exit.Misuse(engine.Clean(err.Error()), engine.Lit("name another file with --log-file"))
	}
	j.hooks = hook.New()
	defer j.hooks.Close()
	p := &tty.Program{
		In: t.in.(*os.File), Out: t.out.(*os.File), Env: tty.ColorEnv(os.Environ(), j.Color), Log: log, Cleanup: j.cleanUp,
		CannotSuspend: ui.CannotSuspendMsg{},
		Open: func(ctx context.Context, panicked func(any)) (tea.Model, func(), error) {
			for _, of := range j.Each() {
				contexts.QuietLogin(of.Conn.REST)
			}
			return open(ctx, j, log, panicked)
		},
		Report: func(err error) int {
			t.profiles.Abandon(profileWait)
			code, err := j.end(err, t)
			if err != nil {
				return exit.Report(t.err, err)
			}
			return code
		},
	}
	j.left.Store(nil)
	code, err := j.end(p.Run(ctx), t)
	exit.Say(log, "the screen ended with code %d\n", code)
	if cerr := log.Close(); cerr != nil && err == nil {
		err = cerr
	}
	return code, err
}

// cleanUp leaves nothing behind when the process ends at once. Its parts do not wait for each
// other: there is not much time.
func (j *screen) cleanUp() {
	var work sync.WaitGroup
	work.Go(func() { j.leave(0) })
	work.Go(j.hooks.Close)
	if j.cleanup != nil {
		work.Go(j.cleanup)
	}
	work.Wait()
}

// end returns the exit code of a screen that ended with err, and the error to report. It says
// what became of a write without an answer, on the next screen if one opens.
func (j *screen) end(err error, t *terminal) (int, error) {
	code, err := screenEnd(err)
	left := j.left.Load()
	switch {
	case left == nil:
		return code, err
	case j.next != nil:
		j.next.notice = *left
	case code == exit.OK:
		code = exit.Failed
	}
	exit.Say(t.err, "%s: %s\n", j.program, left.String())
	return code, err
}

// screenEnd returns the exit code of a screen that ended with err, and the error
// to report. The details of a crash are in a file then.
func screenEnd(err error) (int, error) {
	var crashed *tty.Crash
	switch {
	case errors.Is(err, tty.ErrInterrupted):
		return exit.Interrupted, nil
	case errors.As(err, &crashed):
		return exit.Failed, crashFailure(crashed.Details)
	}
	return exit.OK, err
}

// crashFailure stores the details of a panic and returns the failure to report.
func crashFailure(details []byte) error {
	path, err := tty.WriteCrash([]string{string(statedir.Default()), os.TempDir()}, "stagewatch "+build.Version(), details)
	if err != nil {
		return &exit.Failure{Code: exit.Failed, What: engine.Lit("internal error"), Hint: engine.Clean(err.Error())}
	}
	return &exit.Failure{
		Code: exit.Failed,
		What: engine.Lit("internal error"),
		Hint: engine.Textf("the details are in %s; please report it with that file", engine.Clean(path)),
	}
}
