// Package applystrategy compares apply strategies field by field.
package applystrategy

import (
	"regexp"
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// names are the fields of an apply strategy in the order in which the
// controller's Go struct has them: its messages print only the values.
var names = []string{"comparisonOption", "whenToApply", "type", "allowCoOwnership", "serverSideApplyConfig", "whenToTakeOver"}

// serverSide is the position of the only field that is a pointer.
const serverSide = 4

// Printed reads the values of an apply strategy as the controller prints it: in the
// order of the struct ("&{PartialComparison Always …}"), or with their names
// ("&{ComparisonOption:PartialComparison …}"). It returns nil for any other
// text, such as a bare pointer.
func Printed(printed string) []string {
	inner, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(printed), "&"), "{")
	if !ok || !strings.HasSuffix(inner, "}") {
		return nil
	}
	// An empty value prints as nothing between two blanks.
	values := strings.Split(strings.TrimSuffix(inner, "}"), " ")
	if len(values) != len(names) {
		return nil
	}
	for i, v := range values {
		if name, value, named := strings.Cut(v, ":"); named {
			if !strings.EqualFold(name, names[i]) {
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

// Values lists the values of an apply strategy with the defaults of the API.
func Values(s *placement.ApplyStrategy) []string {
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

// Diff names the fields in which two apply strategies differ: "whenToApply
// IfNotDrifted (was Always)". Nothing comes of values that are not known.
func Diff(now, was []string) []engine.Text {
	return fieldsThat(now, was, func(name string, now, was engine.Text) engine.Text {
		return engine.Textf("%s %s (was %s)", name, now, was)
	})
}

// Restore names the same fields with the values to restore: "whenToApply Always
// (now IfNotDrifted)".
func Restore(now, was []string) []engine.Text {
	return fieldsThat(now, was, func(name string, now, was engine.Text) engine.Text {
		return engine.Textf("%s %s (now %s)", name, was, now)
	})
}

// fieldsThat renders the fields in which two apply strategies differ; none if one
// is not known.
func fieldsThat(now, was []string, as func(name string, now, was engine.Text) engine.Text) []engine.Text {
	if now == nil || was == nil {
		return nil
	}
	var out []engine.Text
	for i, name := range names {
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

// outdated is the message that compares two apply strategies.
var outdated = regexp.MustCompile(`^(.*the applyStrategy in the \S*pdateRun is outdated), latest: (.*), recorded: (.*)$`)

// Readable returns a message of the controller with the fields that differ instead of two Go
// values, which may have addresses; any other message as it is.
func Readable(message string) string {
	m := outdated.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	diff := Diff(Printed(m[2]), Printed(m[3]))
	if len(diff) == 0 {
		return m[1]
	}
	return m[1] + ": " + engine.Join(diff, "; ").String()
}
