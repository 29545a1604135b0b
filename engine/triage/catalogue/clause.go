package catalogue

import (
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Clause is what is wrong with a cluster, in two parts: where and since when are
// said between them.
type Clause struct {
	Lead   engine.Text // subject, verb, object; capitalized
	Detail engine.Text // the rest of what the message says; may be empty
	Named  bool        // lead names the cluster
	Quoted bool        // Detail is the message of a policy or of a check: Reason quotes it
}

// Reason returns Detail as it is shown, at most n runes of it unless n is 0. The words of a
// policy or of a check stand in quotes: they would read as a finding of stagewatch. The quotes are
// single around words that have double ones.
func (c Clause) Reason(n int) engine.Text {
	reason := c.Detail
	if n > 0 {
		reason = world.Clip(reason.String(), n)
	}
	switch {
	case !c.Quoted || reason.IsZero():
		return reason
	case strings.Contains(reason.String(), `"`) && !strings.Contains(reason.String(), "'"):
		return engine.Textf("'%s'", reason)
	}
	return engine.Textf("\"%s\"", reason)
}

// wrapped matches what the controllers and member agents put before the message
// of the API server; it ends in the message and the parenthesis that closes it.
var wrapped = &Pattern{expr: `^(?i)(?:failed to (?:apply|create|decode|patch|update|take over|process|synchronize|find|run|report)[^:"]*?(?: \(error: |: )|failed to apply the override rules on the resources: |error returned by the api server: )`}

// sentence returns the core of a condition's message as part of a sentence: without
// what wraps it, on one line, and without the full stop at its end.
func sentence(s string) engine.Text {
	s = engine.Message(s).String()
	for {
		loc := wrapped.compiled().FindStringIndex(s)
		if loc == nil {
			break
		}
		if s[loc[1]-1] == ' ' && len(s) > 0 && s[len(s)-1] == ')' && strings.HasSuffix(s[:loc[1]], "(error: ") {
			s = s[:len(s)-1]
		}
		s = s[loc[1]:]
	}
	for len(s) > 0 && s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return engine.Clean(s)
}

// denial is one form in which an API server rejects a manifest, by its message.
type denial struct {
	pattern *Pattern
	says    func(m []string, name engine.Text) Clause
}

// outsideLimits begins each message of a LimitRange (Kubernetes, plugin/pkg/admission/limitranger).
const outsideLimits = `(?:(?:maximum|minimum) \S+ usage per \S+ is |\S+ max limit to request ratio per )`

// denials are tried in order on the core of the message.
var denials = []denial{
	{&Pattern{expr: `admission webhook "([^"]+)" denied the request(?: without explanation|: (.*))?$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Admission webhook %q denied %s", m[1], name), Detail: engine.Clean(m[2]), Quoted: true}
	}},
	{&Pattern{expr: `failed calling webhook "([^"]+)": (.*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Admission webhook %q failed for %s", m[1], name), Detail: sentence(m[2])}
	}},
	{&Pattern{expr: `ValidatingAdmissionPolicy '([^']+)'(?: with binding '[^']+')? denied request: (.*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("ValidatingAdmissionPolicy %q denied %s", m[1], name), Detail: engine.Clean(m[2]), Quoted: true}
	}},
	{&Pattern{expr: `violates PodSecurity "([^"]+)": (.*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("PodSecurity %q denied %s", m[1], name), Detail: engine.Clean(m[2]), Quoted: true}
	}},
	{&Pattern{expr: `(?:exceeded|failed) quota: ([^,:\s]+)[,:] (.*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Resource quota %q denied %s", m[1], name), Detail: engine.Clean(m[2]), Quoted: true}
	}},
	{&Pattern{expr: `(?:is forbidden: |^)\[?(` + outsideLimits + `.*?)\]?$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("A LimitRange denied %s", name), Detail: engine.Clean(m[1]), Quoted: true}
	}},
	{&Pattern{expr: `User "([^"]+)" cannot (\S+ resource "[^"]+".*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("RBAC denied %s", name), Detail: engine.Textf("user %q cannot %s", m[1], m[2])}
	}},
	{&Pattern{expr: `Apply failed with \d+ conflicts?: (.*)$`}, func(m []string, name engine.Text) Clause {
		// The API server lists the managers and fields of several conflicts on a line each.
		fields := strings.NewReplacer(" - ", " ", " conflicts with ", "; conflicts with ").Replace(m[1])
		return Clause{Lead: engine.Textf("Another field manager owns fields of %s", name), Detail: engine.Clean(fields)}
	}},
	{&Pattern{expr: ` is invalid: (.*(?:immutable|may not be changed|may not change fields|updates to .* are forbidden).*)$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("An immutable field of %s was changed", name), Detail: engine.Clean(m[1]), Quoted: true}
	}},
	{&Pattern{expr: ` is invalid: \[?(.*?)(?:, <nil>: Invalid value: "?null"?: some validation rules were not checked .*)?\]?$`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("%s failed validation", name), Detail: engine.Clean(m[1]), Quoted: true}
	}},
	{&Pattern{expr: `in namespace (\S+) because it is being terminated`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Namespace %s is being deleted", m[1]), Detail: engine.Textf("%s cannot be applied", name)}
	}},
	{&Pattern{expr: `namespaces "([^"]*)" not found`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Namespace %s does not exist", m[1]), Detail: engine.Textf("%s cannot be applied", name)}
	}},
	{&Pattern{expr: `no matches for kind "([^"]+)" in version "([^"]+)"`}, func(m []string, name engine.Text) Clause {
		return Clause{Lead: engine.Textf("Kind %s (%s) is not installed", m[1], m[2]), Detail: engine.Textf("%s cannot be applied", name)}
	}},
}

// kindUnknown is the message of a manifest whose kind the member does not serve.
var kindUnknown = &Pattern{expr: `no matches for kind "[^"]+" in version "[^"]+"`}

// Told is the cause that the message of a manifest tells, whose Short the list has: a manifest
// that cannot be decoded may be of a kind that is not installed, and WHY says so.
func Told(cause engine.Cause, message engine.Text) engine.Cause {
	if cause == notDecodable && kindUnknown.find(message.String()) != nil {
		return KindMissing
	}
	return cause
}

// reasonWords returns what is wrong with a manifest whose reason says it, behind the manifest's name; empty where it
// does not.
func reasonWords(c engine.Cause) engine.Literal {
	switch c {
	case PlacementsConflict:
		return "belongs to another placement"
	case TakeoverDiffers:
		return "exists and differs from the manifest"
	case "not-taken-over":
		return "exists and may not be taken over"
	case OwnedByOthers:
		return "belongs to another owner"
	case "takeover-failed":
		return "could not be taken over"
	case DriftBlocks:
		return "has drifted"
	case notDecodable:
		return "cannot be decoded"
	case "generate-name":
		return "has a generateName"
	case "manifest-duplicated":
		return "is selected twice"
	case "lookup-on-member-failed":
		return "could not be read"
	case "drift-detection-failed":
		return "could not be compared"
	}
	return ""
}

// ManifestClause says what is wrong with a manifest: who denied it where the
// message tells, else what its reason means.
func ManifestClause(m *placement.FailedResourcePlacement, r *ManifestCause) Clause {
	name, core := engine.ManifestName(m), sentence(m.Condition.Message)
	if m.Condition.Reason == placement.ReasonManifestNotAvailableYet {
		return Clause{Lead: engine.Textf("%s is not available", name)}
	}
	for i := range denials {
		if said := denials[i].pattern.find(core.String()); said != nil {
			return denials[i].says(said, name)
		}
	}
	if words := reasonWords(r.Cause); words != "" {
		return Clause{Lead: engine.Textf("%s %s", name, words.Text()), Detail: core}
	}
	if r.Cause == "diff-not-reportable" {
		return Clause{Lead: engine.Textf("Differences of %s could not be reported", name), Detail: core}
	}
	lead := engine.Textf("%s is not %s", name, lower(m.Condition.Type))
	if r == &UnknownManifest {
		return Clause{Lead: engine.Textf("%s (%s)", lead, m.Condition.Reason), Detail: core}
	}
	return Clause{Lead: lead, Detail: core}
}

// PodDenial says who denied the pods of a workload and why; false for a message of
// another kind.
func PodDenial(message string) (Clause, bool) {
	core := bare(message).String()
	for i := range denials {
		if said := denials[i].pattern.find(core); said != nil {
			return denials[i].says(said, engine.Lit("its pods")), true
		}
	}
	return Clause{}, false
}

// created is what precedes the reason when a controller cannot create a pod.
var created = &Pattern{expr: `^(?:\(combined from similar events\): |Error creating: |create Pod \S+ in \S+ \S+ failed error: |[Pp]ods? "[^"]*" is forbidden: )+`}

// PodReason returns the reason in the message of a controller that cannot create a
// pod.
func PodReason(message string) string { return created.compiled().ReplaceAllString(message, "") }

// bare is sentence for pods.
func bare(s string) engine.Text { return sentence(PodReason(s)) }

// lower returns a title as part of a sentence.
func lower(title string) string {
	if title == "" {
		return ""
	}
	return strings.ToLower(title[:1]) + title[1:]
}
