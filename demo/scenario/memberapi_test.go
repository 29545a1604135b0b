package scenario

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/demo/members"
)

// membersAnswer asks the members of the incidents as kubectl does, through the
// hub's listener. Run workload-not-ready-r2 is stuck.
func membersAnswer(t *testing.T, s Scenario, f playing) {
	t.Helper()
	last := len(s.Members) - 1
	get := func(user, member, path string, accept string) (int, string) {
		config := f.Hub().Config(user)
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+members.Path+member+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		answer, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	const in = "/api/v1/namespaces/workload-not-ready"
	for _, tt := range []struct {
		name, user, member, path, accept string
		code                             int
		want                             []string
	}{
		{"discovery", hub.AdminUser, "weu-canary-1", "/api/v1", "", 200, []string{"pods/log"}},
		{"deployment", hub.AdminUser, "weu-canary-1", "/apis/apps/v1/namespaces/workload-not-ready/deployments/workload-not-ready", "", 200, []string{`"updatedReplicas":1`}},
		{"pods", hub.AdminUser, "weu-canary-1", in + "/pods?labelSelector=app.kubernetes.io%2Fname%3Dworkload-not-ready", "", 200, []string{"InvalidImageName", "couldn't parse image name"}},
		{"no such pods", hub.AdminUser, "weu-canary-1", in + "/pods?labelSelector=app%3Dother", "", 200, []string{`"items":[]`}},
		{"pods as a table", hub.AdminUser, "weu-canary-1", in + "/pods", "application/json;as=Table;v=v1;g=meta.k8s.io", 200, []string{`"kind":"Table"`, `"0/1","InvalidImageName"`}},
		{"events", hub.AdminUser, "weu-canary-1", in + "/events", "", 200, []string{"InspectFailed"}},
		{"a healthy member", hub.AdminUser, "weu-prod-1", in + "/pods", "", 200, []string{"Running"}},
		{"AppliedWorks", hub.AdminUser, "weu-canary-1", "/apis/placement.kubernetes-fleet.io/v1beta1/appliedworks", "", 200, []string{`"workName":"workload-not-ready-work"`, `"workNamespace":"fleet-member-weu-canary-1"`}},
		{"an AppliedWork", hub.AdminUser, "weu-canary-1", "/apis/placement.kubernetes-fleet.io/v1beta1/appliedworks/workload-not-ready-work", "", 200, []string{`"kind":"AppliedWork"`}},
		{"its agent", hub.AdminUser, "weu-canary-1", "/apis/apps/v1/namespaces/fleet-system/deployments", "", 200, []string{`{"name":"MEMBER_CLUSTER_NAME","value":"weu-canary-1"}`, `{"name":"HUB_SERVER_URL","value":"` + f.Hub().URL() + `"}`}},
		{"AppliedWorks without rights", hub.StrangerUser, s.Members[last-1].Name, "/apis/placement.kubernetes-fleet.io/v1beta1/appliedworks", "", 403, nil},
		{"nothing there", hub.AdminUser, "weu-canary-1", in + "/pods/none", "", 404, []string{"not found"}},
		{"another kind", hub.AdminUser, "weu-canary-1", "/api/v1/secrets", "", 404, []string{"could not find"}},
		{"no such member", hub.AdminUser, "nowhere", in + "/pods", "", 404, []string{"there is no member"}},
		{"no rights", hub.StrangerUser, s.Members[last-1].Name, in + "/pods", "", 403, nil},
		{"hangs", hub.AdminUser, s.Members[last].Name, in + "/pods", "", 0, []string{"deadline"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, body := get(tt.user, tt.member, tt.path, tt.accept)
			if code != tt.code {
				t.Errorf("code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in %s", want, body)
				}
			}
		})
	}
	t.Run("logs", func(t *testing.T) {
		_, body := get(hub.AdminUser, "weu-canary-1", in+"/pods", "")
		var pods struct {
			Items []struct {
				Metadata struct{ Name string }
				Status   struct{ Phase string }
			}
		}
		if err := json.Unmarshal([]byte(body), &pods); err != nil || len(pods.Items) != members.Replicas+1 {
			t.Fatalf("%d pods, %v", len(pods.Items), err)
		}
		for _, p := range pods.Items {
			code, log := get(hub.AdminUser, "weu-canary-1", in+"/pods/"+p.Metadata.Name+"/log?tailLines=1", "")
			if running := p.Status.Phase == "Running"; running != (code == 200) || running && strings.Count(log, "\n") != 1 {
				t.Errorf("the log of %s, %s: %d %q", p.Metadata.Name, p.Status.Phase, code, log)
			}
			// None of them was ever started again.
			if code, _ := get(hub.AdminUser, "weu-canary-1", in+"/pods/"+p.Metadata.Name+"/log?previous=true", ""); code != 400 {
				t.Errorf("the log of %s before its last restart: %d", p.Metadata.Name, code)
			}
		}
	})
	t.Run("contexts", func(t *testing.T) {
		byName := map[string]hub.Context{}
		for _, c := range f.Contexts() {
			byName[c.Name] = c
		}
		if c := byName["weu-canary-1"]; c.Path != members.Path+"weu-canary-1" || c.User != hub.AdminUser {
			t.Errorf("the member's context is %+v", c)
		}
		if c := byName[s.Members[last-2].Name]; c.Path != members.Path+s.Members[0].Name {
			t.Errorf("the context that leads to another member is %+v", c)
		}
		if c := byName[s.Members[last-1].Name]; c.User != hub.StrangerUser {
			t.Errorf("a member without rights has %+v", c)
		}
	})
}
