package shell

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestKubectl(t *testing.T) {
	for _, tt := range []struct {
		name string
		hub  engine.Hub
		ns   string
		want string
	}{
		{"nothing named", engine.Hub{}, "", "kubectl get csur"},
		{"context", engine.Hub{Context: engine.Lit("hub a")}, "shop", "kubectl --context 'hub a' -n shop get csur"},
		{"a file of its own", engine.Hub{Context: engine.Lit("hub"), Kubeconfig: engine.Lit("/tmp/it's")}, "", `kubectl --kubeconfig '/tmp/it'\''s' --context hub get csur`},
		{
			"flags of its own",
			engine.Hub{Context: engine.Lit("hub"), Flags: QuoteWords([]string{"--as", "jane doe", "--as-group", "$(id)"})},
			"shop", `kubectl --context hub --as 'jane doe' --as-group '$(id)' -n shop get csur`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Kubectl(tt.hub, tt.ns, "get", "csur").String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
