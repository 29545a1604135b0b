package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// emptyView says why there is nothing to list.
func (l *List) emptyView() []string {
	var out []string
	th, w := l.scene.Theme, l.w
	say := func(k theme.Style, x engine.Text) {
		for _, s := range cell.Wrap(th, x, min(w-8, 76), 6) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(4).Put(k, s).String())
		}
	}
	out = append(out, "")
	if l.scene.Snap == nil {
		say(theme.Text, engine.Clean(l.scene.Busy("Connecting to the hub")))
		return out
	}
	link := l.scene.Snap.Link
	switch link.State {
	case engine.LinkReconnecting, engine.LinkStale, engine.LinkRefused:
		switch {
		case link.LoginFailed:
			say(theme.Bad|theme.Bold, engine.Lit("The login to this hub failed."))
		case link.State == engine.LinkRefused:
			say(theme.Bad|theme.Bold, engine.Lit("You may not list runs on this hub."))
		case link.State == engine.LinkStale:
			say(theme.Wait|theme.Bold, engine.Lit("The list is empty, but the data may be old."))
		case link.Answers:
			say(theme.Wait|theme.Bold, engine.Lit("The hub answers, but not all requests; retrying."))
		case link.Errors:
			say(theme.Wait|theme.Bold, engine.Lit("The hub returns errors; retrying."))
		default:
			say(theme.Wait|theme.Bold, engine.Lit("The hub is unreachable; reconnecting."))
		}
		out = append(out, "")
		say(theme.Text, link.Err)
		say(theme.Sub, link.Hint)
		say(theme.Sub, engine.Lit("Switch to another hub with {command}ctx."))
	case engine.LinkLoading:
		say(theme.Text, engine.Clean(l.scene.Busy("Loading runs")))
	case engine.LinkLive:
		if l.cutOff() {
			say(theme.Wait|theme.Bold, engine.Lit("No run was read: the list is too long."))
			for _, n := range l.scene.Snap.Scope.Notes {
				say(theme.Wait, n)
			}
			break
		}
		if !l.scene.Snap.Complete {
			say(theme.Text, engine.Clean(l.scene.Busy("Loading runs")))
			break
		}
		if l.scene.Snap.Scope.NoHub {
			l.noHub(say)
			break
		}
		say(theme.Text, engine.Textf("No staged update runs in %s.", l.scene.Snap.Scope.Namespaces))
		say(theme.Sub, engine.Lit("New runs appear automatically."))
		for _, n := range l.scene.Snap.Scope.Notes {
			say(theme.Wait, n)
		}
	}
	return out
}

// noHub says that the cluster is not a hub, and how to get to one.
func (l *List) noHub(say func(theme.Style, engine.Text)) {
	say(theme.Bad|theme.Bold, engine.Lit("This cluster has no KubeFleet hub API."))
	say(theme.Text, engine.Lit("It serves neither runs nor placements: it may be a member cluster."))
	say(theme.Text, engine.Lit("Switch with {command}ctx, or: stagewatch --context NAME"))
	if len(l.hubs) == 0 {
		say(theme.Sub, engine.Lit("No other context of the kubeconfig looks like a hub by its name."))
		return
	}
	say(theme.Sub, engine.Lit("Contexts that look like hubs, by name or earlier use (not contacted):"))
	for i, h := range l.hubs {
		if i == 8 {
			say(theme.Sub, engine.Textf("and %d more", len(l.hubs)-i))
			break
		}
		say(theme.Name, engine.Textf("  stagewatch --context %s", h))
	}
}

// cutOff reports whether nothing loads any more, and a list of runs ended at a bound.
func (l *List) cutOff() bool {
	return !l.loads() && slices.ContainsFunc(l.scene.Snap.Scope.Runs, func(s engine.RunSet) bool { return s.State == engine.CoverTruncated })
}

// loads reports whether more runs may come without a change: a set is being read, or will be.
func (l *List) loads() bool {
	sets := l.scene.Snap.Scope.Runs
	return len(sets) == 0 || slices.ContainsFunc(sets, func(s engine.RunSet) bool {
		return s.State == engine.CoverLoading || s.State == engine.CoverNotAsked
	})
}
