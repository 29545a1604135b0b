package subject

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// messageLimit is how much of a message from a member WHY quotes.
const messageLimit = 110

// denialLimit is the same for why pods are not created: the message is all there is.
const denialLimit = 320

// Workload names a workload of a member.
func Workload(w *world.MemberWorkload) engine.Text {
	return engine.Textf("%s %s/%s", w.Kind, w.Namespace, w.Name)
}

// pullSays ends a clause with what the registry or the network answered; empty where the
// kubelet says only that it waits. The reason stands last, behind the names of the image.
func pullSays(message string) engine.Text {
	if message == "" || waits(message) {
		return engine.Text{}
	}
	for _, before := range []string{`": `, "failed to resolve reference: ", "Failed to pull image: "} {
		if i := strings.LastIndex(message, before); i >= 0 {
			message = message[i+len(before):]
		}
	}
	return engine.Textf(": %s", world.Clip(message, messageLimit))
}

// waits reports whether a message of the kubelet says only when it tries again.
func waits(message string) bool {
	return strings.HasPrefix(message, "Back-off ") || strings.HasPrefix(message, "back-off ")
}

// PodSays is what keeps pods from becoming ready, in a clause.
func PodSays(p *world.PodTrouble) engine.Text {
	switch p.Reason {
	case world.PodsMissing:
		return engine.Lit("it does not exist on the member")
	case world.PodsNone:
		return engine.Lit("it has no pods")
	}
	if p.Count == 0 {
		pods := engine.Lit("no pods")
		if p.Total > 0 {
			pods = engine.Textf("only %s", engine.Count(p.Total, "pod"))
		}
		if c, ok := catalogue.PodDenial(p.Message); ok {
			if c.Detail.IsZero() {
				return engine.Textf("%s: %s", pods, engine.Uncapital(c.Lead))
			}
			return engine.Textf("%s: %s: %s", pods, engine.Uncapital(c.Lead), c.Reason(denialLimit))
		}
		return engine.Textf("%s, %s: %s", pods, p.Reason, world.Clip(catalogue.PodReason(p.Message), denialLimit))
	}
	reason := engine.Clean(p.Reason)
	if p.Reason == world.PodNotReady {
		reason = engine.Lit("not ready")
	}
	says := engine.Textf("%d of %s %s", p.Count, engine.Count(p.Total, "pod"), reason)
	if p.Ended != "" && p.Ended != p.Reason {
		says = engine.Textf("%s (%s)", says, p.Ended)
	}
	if p.Restarts > 0 {
		says = engine.Textf("%s, %s", says, engine.Count(p.Restarts, "restart"))
	}
	e := catalogue.PodCauseOf(p)
	switch {
	case e != nil && e.Cause == catalogue.PodCrashLoop && p.Log != "":
		says = engine.Textf("%s, last log line: %s", says, world.Clip(p.Log, messageLimit))
	case e != nil && (e.Cause == catalogue.PodImageName || e.Cause == catalogue.PodImagePull) && p.Image != "":
		if says = engine.Textf("%s, image %s", says, p.Image); e.Cause == catalogue.PodImagePull {
			says = engine.Textf("%s%s", says, pullSays(p.Message))
		}
	case p.Reason == world.PodNotAssigned:
		says = engine.Textf("%d of %s Pending, without a node: no scheduler has reported a reason", p.Count, engine.Count(p.Total, "pod"))
	case p.Message != "" && !waits(p.Message):
		says = engine.Textf("%s, %s", says, world.Clip(p.Message, messageLimit))
	}
	if p.Other > 0 {
		says = engine.Textf("%s; %d more not ready", says, p.Other)
	}
	if p.Denied != "" {
		more := engine.Lit("no more pods are created")
		if c, ok := catalogue.PodDenial(p.Denied); ok {
			more = engine.Textf("%s, which leaves only %s", engine.Uncapital(c.Lead), engine.Count(p.Total, "pod"))
		}
		says = engine.Textf("%s; besides, %s", says.Clause(), more)
	}
	return says
}
