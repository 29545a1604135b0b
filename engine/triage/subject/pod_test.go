package subject

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine/world"
)

// TestPodSaysLeavesOutBackOff: when the kubelet tries again is not why it fails.
func TestPodSaysLeavesOutBackOff(t *testing.T) {
	for _, tt := range []struct{ reason, message, want string }{
		{"CrashLoopBackOff", "back-off 2m40s restarting failed container=app pod=front-new_web", "1 of 2 pods CrashLoopBackOff"},
		{"ImagePullBackOff", `Back-off pulling image "shop/front:3"`, "1 of 2 pods ImagePullBackOff, image shop/front:3"},
		{"CreateContainerConfigError", `configmap "settings" not found`, `1 of 2 pods CreateContainerConfigError, configmap "settings" not found`},
	} {
		p := &world.PodTrouble{Reason: tt.reason, Message: tt.message, Count: 1, Total: 2, Image: "shop/front:3"}
		if got := PodSays(p).String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
