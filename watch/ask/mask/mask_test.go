package mask

import (
	"encoding/json"
	"strings"
	"testing"
)

// What tells of a Secret's drift, or patches one, holds its values too.
func TestValuesBesideSecretsAreMasked(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"a binding", `{"status":{"driftedPlacements":[{"kind":"Secret","name":"s","observedDrifts":[{"path":"/data/p","valueInMember":"hunter2","valueInHub":"hunter3"}]},
			{"kind":"ConfigMap","observedDrifts":[{"path":"/data/p","valueInMember":"open"}]}]}}`},
		{"a placement", `{"status":{"placementStatuses":[{"clusterName":"open","diffedPlacements":[{"kind":"Secret","observedDiffs":[{"path":"/data","valueInHub":"{\"p\":\"hunter2\"}"}]}]}]}}`},
		{"a work", `{"status":{"manifestConditions":[{"identifier":{"kind":"Secret","name":"open"},"driftDetails":{"observedDrifts":[{"path":"/data/p","valueInMember":"hunter2"}]},
			"diffDetails":{"observedDiffs":[{"path":"/data/p","valueInHub":"hunter2"}]}}]}}`},
		{"an override", `{"spec":{"overrideSpec":{"resourceSelectors":[{"kind":"Secret","name":"open"}],"policy":{"overrideRules":[{"jsonPatchOverrides":[
			{"op":"add","path":"/data/p","value":"hunter2"},{"op":"add","path":"/data","value":{"p":"hunter2"}}]}]}}}}`},
		{"an override of a namespace", `{"spec":{"overrideSpec":{"clusterResourceSelectors":[{"kind":"Namespace","name":"open"}],"policy":{"overrideRules":[{"jsonPatchOverrides":[
			{"op":"add","path":"/data/p","value":"hunter2"}]}]}}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o map[string]any
			if err := json.Unmarshal([]byte(tt.in), &o); err != nil {
				t.Fatal(err)
			}
			Secrets(o)
			text, err := json.Marshal(o)
			if err != nil || strings.Contains(string(text), "hunter") || !strings.Contains(string(text), "open") || !strings.Contains(string(text), "masked") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
	other := map[string]any{"spec": map[string]any{"resourceSelectors": []any{map[string]any{"kind": "Deployment"}}, "policy": map[string]any{"value": "open"}}}
	if Secrets(other); other["spec"].(map[string]any)["policy"].(map[string]any)["value"] != "open" {
		t.Errorf("what is about no Secret is masked: %v", other)
	}
}

func TestSecretsThatStandAsTextAreMasked(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"YAML", "apiVersion: v1\nkind: Secret\ndata:\n  password: aHVudGVyMg==\n", true},
		{"YAML with quotes", "kind: 'Secret'\nstringData: {password: hunter2}", true},
		{"JSON", `{"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}}`, true},
		{"JSON, kind last", `{"data":{"password":"aHVudGVyMg=="}, "kind": "Secret"}`, true},
		{"another kind", "kind: SecretStore\nname: x", false},
		{"words", "the kind of secret: none", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := map[string]any{"kind": "ConfigMap", "data": map[string]any{"it": tt.text}}
			Secrets(o)
			got := o["data"].(map[string]any)["it"].(string)
			if (got != tt.text) != tt.want || tt.want && !strings.HasPrefix(got, "masked: ") {
				t.Errorf("got %q", got)
			}
		})
	}
}
