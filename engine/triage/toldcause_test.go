package triage

import (
	"strings"
	"testing"
)

// The list names the cause that WHY gives: a manifest that cannot be decoded because its kind is
// not installed is not one that is wrong.
func TestTheListNamesTheCauseOfAManifestThatIsNotDecoded(t *testing.T) {
	for message, want := range map[string]string{
		`no matches for kind "Certificate" in version "cert-manager.io/v1"`: "kind Deployment is not installed",
		"bad YAML": "Deployment cannot be decoded",
	} {
		for scope, ns := range scopes {
			r := remedy{Cause: "manifest-not-decodable", Base: "flight", Now: "10:12:00", Manifest: &struct{ Type, Reason, Message string }{"Applied", "DecodingErred", message}}
			d := r.diagnosis(t, &r.Incident, ns)
			if got := d.Short.String(); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s: %s, want %s; why: %s", scope, message, got, want, d.What)
			}
		}
	}
}
