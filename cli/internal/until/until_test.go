package until

import "testing"

// TestPathAndValue splits what kubectl wait splits.
func TestPathAndValue(t *testing.T) {
	for in, want := range map[string][2]string{
		"{.spec.state}=Stop":       {"{.spec.state}", "Stop"},
		"{.spec.state}='Stop'":     {"{.spec.state}", "Stop"},
		"{.spec.state}":            {"{.spec.state}", ""},
		".spec.state=Stop":         {".spec.state", "Stop"},
		"{.spec.state}=a=b":        {"{.spec.state}", "a=b"},
		"{.spec.state}=":           {"{.spec.state}", ""},
		`.a[?(@.type=="x")].b`:     {`.a[?(@.type=="x")].b`, ""},
		`.a[?(@.type=="x")].b=y`:   {`.a[?(@.type=="x")].b`, "y"},
		`{.a[?(@.type=="x")].b}=y`: {`{.a[?(@.type=="x")].b}`, "y"},
	} {
		if path, value, _ := pathAndValue(in); path != want[0] || value != want[1] {
			t.Errorf("%s: %s, %s", in, path, value)
		}
	}
}
