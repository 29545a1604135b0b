package page

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestARowIsAboutAnObject checks that a row of an approval that did not exist when its page was made is
// about the one that has been made since, and that no other row is about an object made again.
func TestARowIsAboutAnObject(t *testing.T) {
	request := func(name, uid string) engine.ID {
		return engine.NewID(engine.KindClusterApprovalRequest, "", name, uid)
	}
	key := engine.Lit("web-r1 prod web-r1-before-prod")
	for _, tt := range []struct {
		row  Row
		id   engine.ID
		want bool
	}{
		{Row{Key: key, Object: request("web-r1-before-prod", "u1")}, request("web-r1-before-prod", "u1"), true},
		{Row{Key: key, Object: request("web-r1-before-prod", "u1")}, request("web-r1-before-prod", "u2"), false},
		{Row{Key: key}, request("web-r1-before-prod", "u1"), true},
		{Row{Key: key}, request("web-r1-after-canary", "u1"), false},
		{Row{Key: key}, request("prod", "u1"), false},
	} {
		if got := tt.row.IsAbout(tt.id); got != tt.want {
			t.Errorf("row %q of %v, object %v: %v, want %v", tt.row.Key, tt.row.Object, tt.id, got, tt.want)
		}
	}
}
