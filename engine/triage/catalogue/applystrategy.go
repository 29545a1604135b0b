package catalogue

import (
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// applyFields are the fields of an apply strategy in the order in which the
// controller's Go struct has them: its messages print only the values.
var applyFields = []string{"comparisonOption", "whenToApply", "type", "allowCoOwnership", "serverSideApplyConfig", "whenToTakeOver"}

// serverSide is the position of the only field that is a pointer.
const serverSide = 4

// applyValues reads an apply strategy as the controller prints it: values in
// the order of the struct ("&{PartialComparison Always …}"), or with their names
// ("&{ComparisonOption:PartialComparison …}"). It returns nil for any other
// text, such as a bare pointer.
func applyValues(printed string) []string {
	inner, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(printed), "&"), "{")
	if !ok || !strings.HasSuffix(inner, "}") {
		return nil
	}
	// An empty value prints as nothing between two blanks.
	values := strings.Split(strings.TrimSuffix(inner, "}"), " ")
	if len(values) != len(applyFields) {
		return nil
	}
	for i, v := range values {
		if name, value, named := strings.Cut(v, ":"); named {
			if !strings.EqualFold(name, applyFields[i]) {
				return nil
			}
			values[i] = value
		}
	}
	if values[serverSide] != "<nil>" {
		values[serverSide] = "set"
	} else {
		values[serverSide] = ""
	}
	return values
}

// ApplyOf lists the values of an apply strategy with the defaults of the API.
func ApplyOf(s *placement.ApplyStrategy) []string {
	if s == nil {
		s = &placement.ApplyStrategy{}
	}
	or := func(value, standard string) string {
		if value == "" {
			return standard
		}
		return value
	}
	typ := or(string(s.Type), string(placement.ApplyClientSide))
	config := ""
	if typ == string(placement.ApplyServerSide) {
		config = "force=false"
		if c := s.ServerSideApplyConfig; c != nil {
			config = "force=" + strconv.FormatBool(c.Force)
		}
	}
	return []string{
		or(string(s.ComparisonOption), string(placement.ComparePartial)), or(string(s.WhenToApply), string(placement.ApplyAlways)),
		typ, strconv.FormatBool(s.AllowCoOwnership), config, or(string(s.WhenToTakeOver), string(placement.TakeOverAlways)),
	}
}

// ApplyDiff names the fields in which two apply strategies differ: "whenToApply
// IfNotDrifted (was Always)". Nothing comes of values that are not known.
func ApplyDiff(now, was []string) []engine.Text {
	return applyFieldsThat(now, was, func(name string, now, was engine.Text) engine.Text {
		return engine.Textf("%s %s (was %s)", name, now, was)
	})
}

// ApplyBack names the same fields with the values to restore: "whenToApply Always
// (now IfNotDrifted)".
func ApplyBack(now, was []string) []engine.Text {
	return applyFieldsThat(now, was, func(name string, now, was engine.Text) engine.Text {
		return engine.Textf("%s %s (now %s)", name, was, now)
	})
}

// applyFieldsThat renders the fields in which two apply strategies differ; none if one
// is not known.
func applyFieldsThat(now, was []string, as func(name string, now, was engine.Text) engine.Text) []engine.Text {
	if now == nil || was == nil {
		return nil
	}
	var out []engine.Text
	for i, name := range applyFields {
		if now[i] != was[i] {
			out = append(out, as(name, orUnset(now[i]), orUnset(was[i])))
		}
	}
	return out
}

func orUnset(value string) engine.Text {
	if value == "" {
		return engine.Lit("not set")
	}
	return engine.Clean(value)
}

// applyChanged is the sentence of the message: which fields differed then.
func applyChanged(said map[string]string) engine.Text {
	if diff := ApplyDiff(applyValues(said["new"]), applyValues(said["old"])); len(diff) > 0 {
		return engine.Textf("The placement's apply strategy was changed during the run: %s.", engine.Join(diff, "; "))
	}
	return engine.Lit("The placement's apply strategy was changed during the run.")
}
