package stream

import (
	"context"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/link"
)

// discover asks the hub for its versions until it answers. It calls start when rows are to be
// asked for. It reports false when ctx ended.
func (k *Streams) discover(ctx context.Context, start func()) bool {
	pause := client.FirstPause
	for {
		err := k.Hub.Discover(k.connection.Begin(ctx, start))
		if !k.connection.IsNear() {
			start()
		}
		f := k.Hub.Failure(err)
		if f.Kind == client.NotServed && k.Brief && k.Hub.MayBeStarting() {
			f.Kind = client.Busy // it is asked again
		}
		switch f.Kind {
		case client.NoFailure, client.Forbidden: // forbidden: v1beta1 is the best guess
			k.Link.OK(link.SourceHub, time.Now())
			clear(k.state) // what was not served before is asked for anew
			return true
		case client.NotServed:
			for key, o := range k.open {
				o.sink.Cover(engine.Coverage{State: engine.CoverNotServed, Why: f.Err})
				k.state[key] = f
			}
			k.Link.OK(link.SourceHub, time.Now())
			k.Link.Load()
			pause = link.ProbeEvery // it may be installed any time; and this is the probe meanwhile
		default:
			if ctx.Err() == nil {
				k.Link.Fail(link.SourceHub, f, time.Now())
			}
		}
		if !k.Hub.Pause(ctx, client.Jitter(pause)) {
			return false
		}
		pause = min(2*pause, max(client.RetryCap, pause))
		if f.Kind == client.Unauthenticated {
			pause = min(client.LoginPause(err), link.ProbeEvery) // this is the probe meanwhile
		}
	}
}

// judgeRuns refuses the whole link when no set of runs may be read.
func (k *Streams) judgeRuns() {
	var refused client.Failure
	for _, key := range k.base(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun) {
		f, ok := k.state[key]
		if !ok || f.Kind != client.Forbidden {
			k.Link.Gone(link.SourceRuns)
			return
		}
		if refused.Kind != client.NoFailure {
			// The hub's message about cluster runs comes first; that namespaced runs
			// are forbidden as well is added to it.
			f.Err = engine.Textf("%s; %s %s, too", refused.Err, key.Kind.Plural(), where(key))
		}
		refused = f
	}
	if refused.Kind != client.NoFailure {
		k.Link.Fail(link.SourceRuns, refused, time.Now())
	}
}

// where says in which scope a set was asked for.
func where(key world.CoverKey) engine.Text {
	if key.Namespace == "" {
		return engine.Lit("in all namespaces")
	}
	return engine.Textf("in namespace %q", key.Namespace)
}
