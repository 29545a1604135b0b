package filter

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// comparison is a term that compares a figure of a run: age>10m, clusters=24.
type comparison struct {
	figure
	name string
	op   string
	want float64
	part bool // want is a share of the clusters
}

// figure is what can be compared.
type figure struct {
	// of returns the figure, with durations in seconds; ok is false for a run that has none.
	of    func(v *engine.RunView, now time.Time) (figure float64, ok bool)
	timed bool
	// kind says what it is compared with.
	kind kind
}

type kind uint8

const (
	count  kind = iota
	share       // a count, or a share of the clusters in per cent
	span        // a duration
	signed      // a number that may be negative
)

// figures by the name that stands before the operator.
var figures = map[string]figure{
	"age":      {of: func(v *engine.RunView, now time.Time) (float64, bool) { return since(v.Created, now) }, timed: true, kind: span},
	"instate":  {of: func(v *engine.RunView, now time.Time) (float64, bool) { return since(v.Since, now) }, timed: true, kind: span},
	"waiting":  {of: waiting, timed: true, kind: span},
	"clusters": {of: func(v *engine.RunView, _ time.Time) (float64, bool) { return float64(v.Total), !v.Partial }},
	"done":     {of: func(v *engine.RunView, _ time.Time) (float64, bool) { return float64(v.Done), !v.Partial }, kind: share},
	"stuck":    {of: func(v *engine.RunView, _ time.Time) (float64, bool) { return float64(v.Stuck), !v.Partial || v.RowOnly }, kind: share},
	"updating": {of: func(v *engine.RunView, _ time.Time) (float64, bool) {
		return float64(v.Updating), !v.Partial || v.RowOnly
	}, kind: share},
	"snapshot": {of: func(v *engine.RunView, _ time.Time) (float64, bool) {
		n := engine.ParseIndex(v.Index.String())
		return float64(n), n >= 0
	}},
}

func since(t, now time.Time) (float64, bool) { return now.Sub(t).Seconds(), !t.IsZero() }

// waiting is how long a run has waited for a person or for a timed wait.
func waiting(v *engine.RunView, now time.Time) (float64, bool) {
	switch v.Word {
	case engine.WordApproval, engine.WordNotAccepted, engine.WordWaiting, engine.WordReady, engine.WordStopped:
		return since(v.Since, now)
	}
	return 0, false
}

// number is the figure of a field: its value, if that is a number.
func number(c *column.Column) figure {
	return figure{of: func(v *engine.RunView, now time.Time) (float64, bool) {
		n, err := strconv.ParseFloat(c.Text(v, now).String(), 64)
		return n, err == nil
	}, kind: signed}
}

var comparing = regexp.MustCompile(`^([^:<>=!]+)(>=|<=|>|<|==|=|!=|:)(.*)$`)

// newComparison reads a word; ok is false for one that is no comparison. err says what is
// wrong with one, and how a field is written that has the operator of another.
func newComparison(w string, chosen []column.Column) (c *comparison, err engine.Text, ok bool) {
	said := comparing.FindStringSubmatch(w)
	if said == nil {
		return nil, err, false
	}
	name, op, value := said[1], said[2], said[3]
	f, known := figures[name]
	if i := slices.IndexFunc(chosen, func(c column.Column) bool { return c.IsField() && c.Word() == name }); i >= 0 && !known {
		f, known = number(&chosen[i]), true
	}
	searched, equality := hasText(chosen, name), op == "=" || op == "==" || op == "!="
	value, percent := strings.CutSuffix(value, "%")
	n, no := strconv.ParseFloat(value, 64)
	switch {
	case op == ":" && (searched || !known), equality && !known && !searched:
		return nil, err, false
	case !known && !searched:
		names := make([]string, 0, len(figures))
		for n := range figures {
			names = append(names, n)
		}
		return nil, engine.Textf("%s cannot be compared%s", engine.Clean(name), engine.Closest(name, names)), true
	case known && strings.TrimLeft(said[3], "<>=!") != said[3]:
		return nil, rightOperator(w, name, op+said[3], f.kind), true
	case !known && op == "!=", f.kind == signed && no != nil && op == "!=":
		return nil, rightForm(w, "!"+name+":", said[3]), true
	case !known, f.kind == signed && no != nil && equality:
		return nil, rightForm(w, name+":", said[3]), true
	case f.kind == span && (equality || op == ":"):
		return nil, rightForm(w, name+">", said[3]), true
	case op == ":":
		return nil, rightForm(w, name+"=", said[3]), true
	}
	c = &comparison{figure: f, name: name, op: op}
	switch {
	case f.kind == span:
		d, valid := parseSpan(said[3])
		if !valid {
			return nil, engine.Textf("%s needs a duration like 10m, 2h or 1d", engine.Clean(name)), true
		}
		c.want = d.Seconds()
	case no != nil || n < 0 && f.kind != signed:
		return nil, engine.Textf("%s needs a number", engine.Clean(name)), true
	case percent && f.kind != share:
		return nil, engine.Textf("%s needs a number without %%", engine.Clean(name)), true
	default:
		c.want, c.part = n, percent
	}
	return c, err, true
}

// rightForm says how a word is written whose field has another operator.
func rightForm(w, field, value string) engine.Text {
	return engine.Textf("%s: write %s%s", engine.Clean(w), engine.Clean(field), engine.Clean(value))
}

// rightOperator says how a word is written whose operator, in front of the value, is unknown.
func rightOperator(w, name, rest string, k kind) engine.Text {
	value := strings.TrimLeft(rest, "<>=!:")
	switch op := strings.TrimSuffix(rest, value); {
	case (op == "=>" || op == "=<") && value != "":
		return rightForm(w, name+op[1:]+"=", value)
	case k == span:
		return engine.Textf("%s: %s has the operators < <= > and >=", engine.Clean(w), engine.Clean(name))
	}
	return engine.Textf("%s: %s has the operators = != < <= > and >=", engine.Clean(w), engine.Clean(name))
}

// hasText reports whether a field is searched for words: neither a graph nor a time is.
func hasText(chosen []column.Column, name string) bool {
	c, ok := column.Find(chosen, name)
	return ok && (c.Match != nil || c.Text != nil && !c.Timed) || name == "ns" || name == "cluster"
}

// parseSpan reads a duration, with days in front of it: 1d12h, 90s.
func parseSpan(s string) (time.Duration, bool) {
	days, rest, found := strings.Cut(s, "d")
	if !found {
		days, rest = "0", s
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 {
		return 0, false
	}
	d := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return d, found
	}
	more, err := time.ParseDuration(rest)
	return d + more, err == nil && more >= 0
}

// holds reports whether the comparison holds for a run; it does not where the figure is
// not known.
func (c *comparison) holds(v *engine.RunView, now time.Time) bool {
	n, ok := c.of(v, now)
	switch {
	case c.part && v.Word == engine.WordDone: // all of its clusters count as done: a row and the whole run give the same
		n, ok = 0, true
		if c.name == "done" {
			n = 100
		}
	case c.part:
		ok = ok && v.Total > 0
		n = 100 * n / max(1, float64(v.Total))
	}
	if !ok {
		return false
	}
	switch c.op {
	case ">":
		return n > c.want
	case ">=":
		return n >= c.want
	case "<":
		return n < c.want
	case "=", "==":
		return n == c.want
	case "!=":
		return n != c.want
	}
	return n <= c.want
}
