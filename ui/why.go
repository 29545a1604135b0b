package ui

import "github.com/stagewatch/stagewatch/engine"

// whyView writes WHY, HEAL and NEXT of a run into exactly n lines, always in
// this order and in the same place. WHY gets the room that is left.
func (m *Model) whyView(out []string, v *engine.RunView, n int) []string {
	th, w := m.look.th, m.look.w
	end := len(out) + n
	if v == nil {
		return padLines(out, end)
	}
	loud := v.Word.NeedsPerson() || v.Slow
	parts := []struct {
		label string
		k     ink
		x     engine.Text
	}{
		{"WHY", runInk(v), m.why(v)},
		{"HEAL", inkWait, v.Why.Heal},
		{"NEXT", inkDone, v.Why.Next},
	}
	lines := make([][]string, len(parts))
	used := 0
	for i, p := range parts {
		lines[i] = th.wrap(p.x, w-8, n)
		used += len(lines[i])
	}
	// Too much for the room: HEAL gives way first, then the longest sentence,
	// line by line; none goes while another has two lines.
	for used > n {
		give := 0
		for i := range lines {
			if len(lines[i]) >= len(lines[give]) {
				give = i
			}
		}
		if len(lines[1]) > 1 {
			give = 1
		}
		if len(lines[give]) <= 1 {
			break
		}
		lines[give] = th.wrap(parts[give].x, w-8, len(lines[give])-1)
		used--
	}
	for i, p := range parts {
		k := inkSub
		if loud {
			k = p.k
		}
		for j, s := range lines[i] {
			if len(out) == end {
				return out
			}
			r := newRow(th, w, groundNone).to(1)
			if j == 0 {
				r.put(k|bold, p.label)
			}
			body := inkText
			if i == 0 && loud {
				body = inkName
			}
			out = append(out, r.to(7).put(body, s).String())
		}
	}
	// Room that is left belongs to the hub's own words.
	if !v.Why.Quote.IsZero() && len(out)+1 < end {
		for j, s := range th.wrap(v.Why.Quote, w-8, end-len(out)) {
			r := newRow(th, w, groundNone).to(1)
			if j == 0 {
				r.put(inkFaint, "HUB")
			}
			out = append(out, r.to(7).put(inkSub, s).String())
		}
	}
	return padLines(out, end)
}

// whyNeed is how many lines the reasons of a run take when none is cut.
func (m *Model) whyNeed(v *engine.RunView) int {
	n := 0
	for _, x := range []engine.Text{m.why(v), v.Why.Heal, v.Why.Next, v.Why.Quote} {
		n += len(m.look.th.wrap(x, m.look.w-8, m.look.h))
	}
	return n
}

func padLines(out []string, end int) []string {
	for len(out) < end {
		out = append(out, "")
	}
	return out[:end]
}

// divider is the line above WHY: what it is about.
func (m *Model) divider(v *engine.RunView) string {
	th, w := m.look.th, m.look.w
	r := newRow(th, w, groundNone).fill(inkFaint, th.glyph.rule, 2).to(3)
	if v != nil {
		r.put(inkName|bold, th.cutMiddle(th.cells(runTitle(v)), max(10, w/3))).put(inkSub, "  ")
		body := newRow(th, w-r.w-2, groundNone)
		m.about(body, v)
		r.b, r.w, r.raw = append(r.b, body.b...), r.w+body.w, true
		r.gap(1)
	}
	return r.fill(inkFaint, th.glyph.rule, w).String()
}
