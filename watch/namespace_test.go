package watch

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// A namespace that the hub does not have is an error; one that this user may not
// read is none.
func TestANamespaceThatDoesNotExist(t *testing.T) {
	t.Parallel()
	somebody(t, shared).namespace("team")
	for _, tt := range []struct {
		name, user, ns string
		want           error
	}{
		{"not there", hub.ViewerUser, "nope", ErrNoNamespace},
		{"there", hub.ViewerUser, "team", nil},
		{"none is named", hub.ViewerUser, "", nil},
		{"may not be read", hub.TenantUser, "team", nil},
		{"may not be read, and is not there", hub.StrangerUser, "nope", ErrForbidden},
		{"misspelt", hub.ViewerUser, "taem", ErrNoNamespace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Once(t.Context(), Config{REST: shared.Config(tt.user), Namespace: tt.ns}, Reading{})
			if !errors.Is(err, tt.want) {
				t.Errorf("list: %v, want %v", err, tt.want)
			}
			if why := new(OnceError); errors.As(err, &why) && tt.ns == "taem" && why.Similar.String() != `did you mean "team"? ` {
				t.Errorf("suggests %q", why.Similar)
			}
			if tt.ns == "" || tt.want == nil {
				return
			}
			if _, err := planOf(t, shared.Config(tt.user), PlanRequest{Run: ref(tt.ns + "/x")}); !errors.Is(err, tt.want) {
				t.Errorf("plan: %v, want %v", err, tt.want)
			}
		})
	}
}
