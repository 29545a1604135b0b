package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// podsSaid is the last thing that a member said of the pods of a run's cluster.
type podsSaid struct {
	member engine.ID
	said   engine.Text
	// context is the kubeconfig context that led to the member.
	context engine.Text
	at      time.Time // hub time
}

// podsWatch asks members by itself for the pods that hold up the opened run.
type podsWatch struct {
	said  map[engine.ID]podsSaid // by run
	again time.Time              // when one may be asked anew
	busy  bool
}

const (
	// podsEvery is the time between two askings.
	podsEvery = 10 * time.Second
	// podsOld is the age from which what a member said no longer explains
	// anything.
	podsOld = 5 * time.Minute
)

// podsMsg is what a member said without being asked by a person.
type podsMsg struct{ answer engine.Answer }

// lookAtPods asks the member of the cluster that holds the opened run up, where
// a person has agreed to that.
func (m *Model) lookAtPods() tea.Cmd {
	v, w := m.run.view, &m.pods
	if m.screen != screenRun || m.mode != modeBrowse || m.sheet() != nil || v == nil || m.run.gone || w.busy || m.now.Before(w.again) {
		return nil
	}
	c := m.run.heldUp()
	if c == nil {
		return nil
	}
	w.busy = true
	// Who has opened the member's page has agreed to its context.
	quiet := w.said[v.ID].member != c.Member
	ctx, src := m.ctx, m.src
	q := engine.Question{Kind: engine.QuestionMember, About: v.Placement, Run: v.ID, Member: c.Member, Quiet: quiet}
	return func() tea.Msg {
		a := src.Ask(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return podsMsg{a}
	}
}

// heldUp is the cluster that holds the run up, and whose member can know more of
// it: nil when there is none.
func (p *runPane) heldUp() *engine.ClusterView {
	if p.detail == nil {
		return nil
	}
	var first *engine.ClusterView
	for _, stage := range p.detail.Clusters {
		for i := range stage {
			c := &stage[i]
			if c.State != engine.ClusterStuck && c.State != engine.ClusterSlow || len(c.Failing) == 0 {
				continue
			}
			if c.Member == p.detail.Run.Why.Member {
				return c // the one that WHY is about
			}
			if first == nil {
				first = c
			}
		}
	}
	return first
}

func (m *Model) onPods(msg podsMsg) {
	w := &m.pods
	w.busy, w.again = false, m.now.Add(podsEvery)
	m.rememberPods(msg.answer)
}

// rememberPods keeps what a member said for the reasons of its run.
func (m *Model) rememberPods(a engine.Answer) {
	q := a.Question
	if q.Kind != engine.QuestionMember || q.Run.IsZero() {
		return
	}
	if a.Pods.IsZero() {
		if m.pods.said[q.Run].member == q.Member {
			delete(m.pods.said, q.Run)
		}
		return
	}
	if m.pods.said == nil {
		m.pods.said = map[engine.ID]podsSaid{}
	}
	m.pods.said[q.Run] = podsSaid{member: q.Member, said: a.Pods, context: a.PodsContext, at: a.At}
}

// why is WHY of a run with what its member said, if that is known.
func (m *Model) why(v *engine.RunView) engine.Text {
	p, ok := m.pods.said[v.ID]
	if age := m.since(p.at); ok && (v.Word == engine.WordStuck || v.Slow) && age < podsOld {
		return engine.Textf("%s On %s: %s (context %s, %s ago).", v.Why.What, p.member.Name(), p.said, p.context, engine.Clean(short(age)))
	}
	return v.Why.What
}
