package crds_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/api/crds"
)

// definition is the part of a CustomResourceDefinition that these tests read.
type definition struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string `json:"group"`
		Scope string `json:"scope"`
		Names struct {
			Kind       string   `json:"kind"`
			ListKind   string   `json:"listKind"`
			Plural     string   `json:"plural"`
			Singular   string   `json:"singular"`
			ShortNames []string `json:"shortNames"`
			Categories []string `json:"categories"`
		} `json:"names"`
		Versions []version `json:"versions"`
	} `json:"spec"`
}

// version is one version of a definition.
type version struct {
	Name         string                    `json:"name"`
	Served       bool                      `json:"served"`
	Storage      bool                      `json:"storage"`
	Subresources map[string]map[string]any `json:"subresources"`
	Columns      []column                  `json:"additionalPrinterColumns"`
	Schema       map[string]any            `json:"schema"`
}

// column is one print column.
type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	JSONPath string `json:"jsonPath"`
	Priority int    `json:"priority"`
}

// definitions returns all definitions by plural name.
func definitions(t *testing.T) map[string]definition {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	byPlural := map[string]definition{}
	for _, raw := range all {
		var d definition
		if err := yaml.Unmarshal(raw, &d); err != nil {
			t.Fatalf("parse CRD: %v\n%.200s", err, raw)
		}
		if d.APIVersion != "apiextensions.k8s.io/v1" || d.Kind != "CustomResourceDefinition" {
			t.Errorf("%s is a %s %s", d.Metadata.Name, d.APIVersion, d.Kind)
		}
		if want := d.Spec.Names.Plural + "." + d.Spec.Group; d.Metadata.Name != want {
			t.Errorf("name = %s, want %s", d.Metadata.Name, want)
		}
		byPlural[d.Spec.Names.Plural] = d
	}
	return byPlural
}

// cond is the JSON path of a condition's status.
func cond(name string) string { return `.status.conditions[?(@.type=="` + name + `")].status` }

// condGen is the JSON path of a condition's observedGeneration.
func condGen(name string) string {
	return `.status.conditions[?(@.type=="` + name + `")].observedGeneration`
}

// placementColumns are the columns of a placement
// (docs/kubefleet.md#placement).
func placementColumns(prefix string) []column {
	return []column{
		{Name: "Gen", Type: "string", JSONPath: ".metadata.generation"},
		{Name: "Type", Type: "string", JSONPath: ".spec.policy.placementType", Priority: 1},
		{Name: "Scheduled", Type: "string", JSONPath: cond(prefix + "Scheduled")},
		{Name: "Scheduled-Gen", Type: "string", JSONPath: condGen(prefix + "Scheduled")},
		{Name: "Work-Synchronized", Type: "string", JSONPath: cond(prefix + "WorkSynchronized"), Priority: 1},
		{Name: "Work-Synchronized-Gen", Type: "string", JSONPath: condGen(prefix + "WorkSynchronized"), Priority: 1},
		{Name: "Available", Type: "string", JSONPath: cond(prefix + "Available")},
		{Name: "Available-Gen", Type: "string", JSONPath: condGen(prefix + "Available")},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	}
}

// TestKinds compares each definition with docs/kubefleet.md#kinds and the print
// columns of docs/kubefleet.md#run, #member.
func TestKinds(t *testing.T) {
	age := column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}
	run := []column{
		{Name: "Placement", Type: "string", JSONPath: ".spec.placementName"},
		{Name: "Resource-Snapshot-Index", Type: "string", JSONPath: ".spec.resourceSnapshotIndex"},
		{Name: "Policy-Snapshot-Index", Type: "string", JSONPath: ".status.policySnapshotIndexUsed"},
		{Name: "Initialized", Type: "string", JSONPath: cond("Initialized")},
		{Name: "Progressing", Type: "string", JSONPath: cond("Progressing")},
		{Name: "Succeeded", Type: "string", JSONPath: cond("Succeeded")},
		age,
		{Name: "Strategy", Type: "string", JSONPath: ".spec.stagedRolloutStrategyName", Priority: 1},
	}
	approval := []column{
		{Name: "Update-Run", Type: "string", JSONPath: ".spec.parentStageRollout"},
		{Name: "Stage", Type: "string", JSONPath: ".spec.targetStage"},
		{Name: "Approved", Type: "string", JSONPath: cond("Approved")},
		age,
	}
	binding := []column{
		{Name: "WorkSynchronized", Type: "string", JSONPath: cond("WorkSynchronized")},
		{Name: "ResourcesApplied", Type: "string", JSONPath: cond("Applied")},
		{Name: "ResourceAvailable", Type: "string", JSONPath: cond("Available"), Priority: 1},
		age,
	}
	snapshot := []column{{Name: "Gen", Type: "string", JSONPath: ".metadata.generation"}, age}
	member := []column{
		{Name: "Joined", Type: "string", JSONPath: cond("Joined")},
		age,
		{Name: "Member-Agent-Last-Seen", Type: "date", JSONPath: `.status.agentStatus[?(@.type=="MemberAgent")].lastReceivedHeartbeat`},
		{Name: "Node-Count", Type: "string", JSONPath: `.status.properties.kubernetes-fleet\.io/node-count.value`},
		{Name: "Available-CPU", Type: "string", JSONPath: ".status.resourceUsage.available.cpu"},
		{Name: "Available-Memory", Type: "string", JSONPath: ".status.resourceUsage.available.memory"},
		{Name: "Allocatable-CPU", Type: "string", JSONPath: ".status.resourceUsage.allocatable.cpu", Priority: 1},
		{Name: "Allocatable-Memory", Type: "string", JSONPath: ".status.resourceUsage.allocatable.memory", Priority: 1},
	}
	const cluster, placement = "cluster.kubernetes-fleet.io", "placement.kubernetes-fleet.io"
	tests := []struct {
		group, kind, plural, short, scope string
		noV1, noStatus                    bool
		columns                           []column
	}{
		{group: placement, kind: "ClusterStagedUpdateRun", plural: "clusterstagedupdateruns", short: "csur", scope: "Cluster", columns: run},
		{group: placement, kind: "StagedUpdateRun", plural: "stagedupdateruns", short: "sur", scope: "Namespaced", columns: run},
		{group: placement, kind: "ClusterStagedUpdateStrategy", plural: "clusterstagedupdatestrategies", short: "csus", scope: "Cluster"},
		{group: placement, kind: "StagedUpdateStrategy", plural: "stagedupdatestrategies", short: "sus", scope: "Namespaced", noStatus: true},
		{group: placement, kind: "ClusterApprovalRequest", plural: "clusterapprovalrequests", short: "careq", scope: "Cluster", columns: approval},
		{group: placement, kind: "ApprovalRequest", plural: "approvalrequests", short: "areq", scope: "Namespaced", columns: approval},
		{group: placement, kind: "ClusterResourcePlacement", plural: "clusterresourceplacements", short: "crp", scope: "Cluster", columns: placementColumns("ClusterResourcePlacement")},
		{group: placement, kind: "ResourcePlacement", plural: "resourceplacements", short: "rp", scope: "Namespaced", columns: placementColumns("ResourcePlacement")},
		{group: placement, kind: "ClusterResourceBinding", plural: "clusterresourcebindings", short: "crb", scope: "Cluster", columns: binding},
		{group: placement, kind: "ResourceBinding", plural: "resourcebindings", short: "rb", scope: "Namespaced", noV1: true, columns: binding},
		{group: placement, kind: "ClusterResourceSnapshot", plural: "clusterresourcesnapshots", short: "crs", scope: "Cluster", columns: snapshot},
		{group: placement, kind: "ResourceSnapshot", plural: "resourcesnapshots", short: "rs", scope: "Namespaced", noV1: true, columns: snapshot},
		{group: placement, kind: "ClusterSchedulingPolicySnapshot", plural: "clusterschedulingpolicysnapshots", short: "csps", scope: "Cluster", columns: snapshot},
		{group: placement, kind: "SchedulingPolicySnapshot", plural: "schedulingpolicysnapshots", short: "sps", scope: "Namespaced", noV1: true, columns: snapshot},
		{group: placement, kind: "ClusterResourceOverrideSnapshot", plural: "clusterresourceoverridesnapshots", scope: "Cluster", noStatus: true},
		{group: placement, kind: "ResourceOverrideSnapshot", plural: "resourceoverridesnapshots", scope: "Namespaced", noStatus: true},
		{group: placement, kind: "Work", plural: "works", scope: "Namespaced"},
		{group: cluster, kind: "MemberCluster", plural: "memberclusters", short: "cluster", scope: "Cluster", columns: member},
	}
	all := definitions(t)
	if len(all) != len(tests) {
		t.Errorf("%d definitions, want %d", len(all), len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			spec := all[tt.plural].Spec
			names := spec.Names
			categories := []string{"fleet", "fleet-placement"}
			if tt.group == cluster {
				categories = []string{"fleet", "fleet-cluster"}
			}
			var short []string
			if tt.short != "" {
				short = []string{tt.short}
			}
			if spec.Group != tt.group || names.Kind != tt.kind || spec.Scope != tt.scope || names.ListKind != tt.kind+"List" || names.Singular != strings.ToLower(tt.kind) {
				t.Errorf("group %s, kind %s, scope %s, list %s, singular %s", spec.Group, names.Kind, spec.Scope, names.ListKind, names.Singular)
			}
			if !slices.Equal(names.ShortNames, short) || !slices.Equal(names.Categories, categories) {
				t.Errorf("short names %q, categories %q", names.ShortNames, names.Categories)
			}
			want := []string{"v1", "v1beta1"}
			if tt.noV1 {
				want = want[1:]
			}
			var got []string
			for _, v := range spec.Versions {
				got = append(got, v.Name)
				if !v.Served || v.Storage != (v.Name == "v1beta1") {
					t.Errorf("%s: served %t, storage %t", v.Name, v.Served, v.Storage)
				}
				if _, ok := v.Subresources["status"]; ok == tt.noStatus {
					t.Errorf("%s: status subresource %t, want %t", v.Name, ok, !tt.noStatus)
				}
				if !slices.Equal(v.Columns, tt.columns) {
					t.Errorf("%s: columns\n%v, want\n%v", v.Name, v.Columns, tt.columns)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("versions %q, want %q", got, want)
			}
		})
	}
}

// TestStagedKindsAreEqualInBothVersions holds what makes it safe to read a
// staged update kind in one version and write it in the other.
func TestStagedKindsAreEqualInBothVersions(t *testing.T) {
	all := definitions(t)
	for _, plural := range []string{
		"clusterstagedupdateruns", "stagedupdateruns",
		"clusterstagedupdatestrategies", "stagedupdatestrategies",
		"clusterapprovalrequests", "approvalrequests",
	} {
		versions := all[plural].Spec.Versions
		if len(versions) != 2 || !reflect.DeepEqual(versions[0].Schema, versions[1].Schema) {
			t.Errorf("%s: the schemas of its %d versions differ", plural, len(versions))
		}
	}
}

// TestFieldsThatV1LacksAreLeftOut holds what a hub's v1 does not have
// (docs/kubefleet.md#placement, #binding, #work): a client that writes through
// v1 shall fail here as it would there.
func TestFieldsThatV1LacksAreLeftOut(t *testing.T) {
	tests := []struct{ plural, text string }{
		{"clusterresourceplacements", `"deleteStrategy":`},
		{"clusterresourceplacements", `"reportBackStrategy":`},
		{"clusterresourceplacements", `"ConfigMap"`},
		{"resourceplacements", `"deleteStrategy":`},
		{"clusterresourcebindings", `"ConfigMap"`},
		{"works", `"reportBackStrategy":`},
		{"works", `"backReportedStatus":`},
		{"memberclusters", `"deleteOptions":`},
	}
	all := definitions(t)
	for _, tt := range tests {
		for _, v := range all[tt.plural].Spec.Versions {
			schema, err := json.Marshal(v.Schema)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Contains(string(schema), tt.text), v.Name != "v1"; got != want {
				t.Errorf("%s %s has %s: %t, want %t", tt.plural, v.Name, tt.text, got, want)
			}
		}
	}
}
