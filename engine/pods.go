package engine

import "cmp"

// podMessage is how much of a pod's message is said in passing.
const podMessage = 70

// pods is the last link of the way from a run to what holds it up: what the
// pods of the first workload that is not ready wait for.
func (f *MemberFacts) pods() Text {
	for i := range f.Workloads {
		w := &f.Workloads[i]
		said := w.trouble()
		if said.IsZero() {
			continue
		}
		// The reason of the run has named the first failed manifest already.
		if name := w.name(); len(f.Failing) == 0 || f.Failing[0].What != name {
			said = Textf("%s: %s", name, said)
		}
		return said
	}
	return Text{}
}

// name is the workload as reasons name it.
func (w *MemberWorkload) name() Text {
	return Textf("%s %s/%s", Clean(w.Kind), Clean(w.Namespace), Clean(w.Name))
}

// trouble is what keeps a workload from being ready, in a few words; zero when
// it is ready, or could not be read.
func (w *MemberWorkload) trouble() Text {
	switch {
	case !w.Why.IsZero():
		return Text{}
	case w.Missing:
		return Lit("it is not there")
	case len(w.Pods) == 0 && len(w.Setbacks) > 0:
		// No pod can be made: a quota, a webhook, a missing service account.
		return Textf("it has no pods, %s: %s", Clean(w.Setbacks[0].Reason), clip(w.Setbacks[0].Message, podMessage))
	case len(w.Pods) == 0 && w.Replicas == 0:
		return Lit("it has no pods")
	}
	// The reason that most pods share; the first of them speaks for it.
	count, unready := map[string]int{}, 0
	var worst *MemberPod
	for i := range w.Pods {
		p := &w.Pods[i]
		if p.Ready {
			continue
		}
		unready++
		reason := cmp.Or(p.Reason, p.Phase)
		if count[reason]++; worst == nil || count[reason] > count[cmp.Or(worst.Reason, worst.Phase)] {
			worst = p
		}
	}
	if worst == nil {
		return Text{}
	}
	reason := cmp.Or(worst.Reason, worst.Phase)
	said := Textf("%d of %d pods %s", count[reason], len(w.Pods), Clean(reason))
	switch {
	case worst.Image != "":
		said = Textf("%s, image %s", said, Clean(worst.Image))
	case worst.Message != "":
		said = Textf("%s, %s", said, clip(worst.Message, podMessage))
	}
	if worst.Restarts > 0 {
		said = Textf("%s, %d restarts", said, worst.Restarts)
	}
	if rest := unready - count[reason]; rest > 0 {
		said = Textf("%s; %d more not ready", said, rest)
	}
	return said
}

// clip is the beginning of a message, n runes at most.
func clip(s string, n int) Text {
	if r := []rune(s); len(r) > n {
		return Clean(string(r[:n]) + "…")
	}
	return Clean(s)
}
