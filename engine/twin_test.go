package engine

import "testing"

func TestKubectl(t *testing.T) {
	for _, tt := range []struct {
		name string
		hub  Hub
		ns   string
		want string
	}{
		{"nothing named", Hub{}, "", "kubectl get csur"},
		{"context", Hub{Context: Lit("hub a")}, "shop", "kubectl --context 'hub a' -n shop get csur"},
		{"a file of its own", Hub{Context: Lit("hub"), Kubeconfig: Lit("/tmp/it's")}, "", `kubectl --kubeconfig '/tmp/it'\''s' --context hub get csur`},
		{
			"flags of its own",
			Hub{Context: Lit("hub"), Flags: QuoteWords([]string{"--as", "jane doe", "--as-group", "$(id)"})},
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
