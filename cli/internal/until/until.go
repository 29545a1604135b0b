// Package until is what a command waits for: the condition that --for names, in the forms of
// kubectl wait and in those of --until.
package until

import (
	"slices"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/job"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
)

// What a command can wait for, beside what needs a value.
const (
	Done     = "done"
	Approval = "approval"
	Change   = "change"
	Delete   = "delete"
)

// What takes a value.
const (
	Stage     = "stage="
	State     = "state="
	Condition = "condition="
	JSONPath  = "jsonpath="
)

// Forms says what --for takes, for its help and its errors.
const Forms = "done, approval, change (of the state), delete, stage=NAME, state=STATE[,STATE], condition=TYPE[=STATUS], or jsonpath=PATH[=VALUE]"

// conditions are the types of the conditions of a run (docs/kubefleet.md#conditions).
var conditions = []string{placement.RunInitialized, placement.RunProgressing, placement.RunSucceeded}

// Target is what a command waits for.
type Target struct {
	form   string // one of the constants
	stage  string
	states []engine.Word
	// typ and status are those of a condition.
	typ, status string
	// path is a JSONPath of the run, value what it selects; empty for anything.
	path, value string
}

// Words are the values that need nothing more, and the beginnings of those that do.
func Words() []string {
	return []string{Done, Approval, Change, Delete, Stage, State, Condition, JSONPath}
}

// Values are the values that begin with State or Condition.
func Values() (all []string) {
	for _, w := range states() {
		all = append(all, State+nameOf(w))
	}
	for _, c := range conditions {
		all = append(all, Condition+c, Condition+c+"=False")
	}
	return all
}

// states are the states that a run can reach.
func states() (all []engine.Word) {
	for w := engine.WordDeleting; w < engine.WordNoRun; w++ {
		all = append(all, w)
	}
	return all
}

// nameOf is a state as JSON has it.
func nameOf(w engine.Word) string { return strings.ReplaceAll(strings.ToLower(w.String()), " ", "-") }

// Parse reads the value of --for.
func Parse(value string) (Target, error) {
	wrong := func(hint engine.Text) error {
		return exit.Misuse(engine.Textf("invalid --for %q", engine.Clean(value)), hint)
	}
	form, rest, takes := strings.Cut(value, "=")
	t := Target{form: form}
	if takes {
		t.form += "="
	}
	switch {
	case t.form == Stage && rest != "":
		t.stage = rest
	case t.form == State && rest != "":
		for _, name := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == '|' }) {
			i := slices.IndexFunc(states(), func(w engine.Word) bool {
				return nameOf(w) == strings.ReplaceAll(strings.ToLower(name), " ", "-")
			})
			if i < 0 {
				var names []string
				for _, w := range states() {
					names = append(names, nameOf(w))
				}
				return t, wrong(engine.Textf("%sstates: %s", engine.DidYouMean(name, names), engine.Clean(strings.Join(names, ", "))))
			}
			t.states = append(t.states, states()[i])
		}
	case t.form == Condition && rest != "":
		typ, status, _ := strings.Cut(rest, "=")
		i := slices.IndexFunc(conditions, func(c string) bool { return strings.EqualFold(c, typ) })
		if t.status = status; status == "" {
			t.status = "True"
		}
		if i < 0 {
			return t, wrong(engine.Textf("%sconditions of a run: %s", engine.DidYouMean(typ, conditions), engine.Clean(strings.Join(conditions, ", "))))
		}
		t.typ = conditions[i]
	case t.form == JSONPath && rest != "":
		var valued bool
		t.path, t.value, valued = pathAndValue(rest)
		switch _, err := jsonpath.Parse(t.path); {
		case err != nil:
			return t, wrong(engine.Textf("invalid JSONPath %q: %s", engine.Clean(t.path), engine.Clean(err.Error())))
		case valued && t.value == "":
			return t, wrong(engine.Lit("write a value after =, or no ="))
		case len(t.value) > jsonpath.Longest:
			return t, wrong(engine.Textf("a value has at most %d bytes", jsonpath.Longest))
		}
	case !slices.Contains([]string{Done, Approval, Change, Delete}, t.form):
		return t, wrong(engine.Textf("%suse %s", engine.DidYouMean(value, Words()), engine.Clean(Forms)))
	}
	return t, nil
}

// pathAndValue splits the value of jsonpath= at the = that follows the path, as kubectl does: not at
// one in a filter. Quotes around the value do not belong to it.
func pathAndValue(s string) (path, value string, valued bool) {
	at := strings.Index(s, "}=")
	if at++; at == 0 && !strings.HasPrefix(s, "{") {
		at = strings.LastIndexByte(s, '=')
		if at < strings.LastIndexByte(s, ']') {
			at = -1
		}
	}
	if at <= 0 {
		return s, "", false
	}
	return s[:at], strings.Trim(strings.TrimSpace(s[at+1:]), `'"`), true
}

// Fields are the values of the run that Reached reads (engine.RunView.Fields), as columns.
func (t *Target) Fields() []string {
	if t.path != "" {
		return []string{"jsonpath:VALUE:" + t.path}
	}
	if t.typ == "" {
		return nil
	}
	of := `.status.conditions[?(@.type=="` + t.typ + `")].`
	return []string{"jsonpath:STATUS:" + of + "status", "jsonpath:GENERATION:" + of + "observedGeneration"}
}

// Deletion reports whether only the deletion of the run is waited for: the end of the run, or what
// it waits for, does not end the wait.
func (t *Target) Deletion() bool { return t.form == Delete }

// Reached reports whether a run is what is waited for; changed is set when its state or stage is
// another one than at the start. The failure is for a stage that the run does not have.
func (t *Target) Reached(v *engine.RunView, changed bool) (bool, error) {
	switch t.form {
	case Delete:
		return false, nil
	case Change:
		return changed, nil
	case Approval:
		return v.Word == engine.WordApproval || v.Word == engine.WordNotAccepted, nil
	case State:
		return slices.Contains(t.states, v.Word), nil
	case Condition:
		// Succeeded is final, also for a spec that was changed since (docs/kubefleet.md#reconcile).
		return len(v.Fields) == 2 && strings.EqualFold(v.Fields[0].String(), t.status) &&
			(t.typ == placement.RunSucceeded || int64(engine.ParseIndex(v.Fields[1].String())) >= v.Generation), nil
	case JSONPath:
		return len(v.Fields) == 1 && !v.Fields[0].IsZero() && (t.value == "" || v.Fields[0] == engine.Clean(t.value)), nil
	case Stage:
	default:
		return v.Word == engine.WordDone, nil
	}
	if len(v.Stages) == 0 {
		return false, nil // they come with the initialization
	}
	for i := range v.Stages {
		if s := &v.Stages[i]; !s.Deletion && s.Name == engine.Clean(t.stage) {
			return s.State == engine.StageDone || s.State == engine.StageSkipped, nil
		}
	}
	return false, job.NoStage(v, t.stage)
}
