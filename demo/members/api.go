package members

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Path is the path of the hub under which members answer
// (docs/architecture.md#demo).
const Path = "/members/"

// API answers for the API servers of all members, read only: discovery,
// logs, what the agents have applied, the pods and events that follow from it,
// and what proves which member it is: the AppliedWorks and the member agent's
// Deployment.
type API struct {
	agents *Agents
	// hub is the URL that the members' agents are configured with.
	hub     string
	members map[string]bool
	hangs   string
}

// NewAPI returns the API of the members with the names. hanging is the name
// of a member that never answers, hubURL is what the members' agents are
// configured with.
func NewAPI(a *Agents, names []string, hanging, hubURL string) *API {
	m := &API{agents: a, hub: hubURL, members: map[string]bool{}, hangs: hanging}
	for _, name := range names {
		m.members[name] = true
	}
	return m
}

// ServeHTTP answers a request below Path.
func (m *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	member, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path), "/")
	switch {
	case !m.members[member]:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("there is no member %q", member))
	case member == m.hangs:
		<-r.Context().Done()
	case r.Method != http.MethodGet:
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "the demo's members can only be read")
	default:
		m.answer(w, r, member, strings.Split(strings.Trim(path, "/"), "/"))
	}
}

// answer serves one GET; path has the parts behind the member's name.
func (m *API) answer(w http.ResponseWriter, r *http.Request, member string, path []string) {
	if found, ok := memberDiscovery[strings.Join(path, "/")]; ok {
		reply(w, found)
		return
	}
	q, ok := parseMemberPath(path)
	if !ok {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
		return
	}
	if q.sub == "log" {
		m.log(w, r, member, q)
		return
	}
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	var items []unstructured.Unstructured
	for _, o := range m.Objects(member) {
		u := unstructured.Unstructured{Object: o}
		if u.GetKind() == q.kind && (q.namespace == "" || u.GetNamespace() == q.namespace) && selector.Matches(labels.Set(u.GetLabels())) {
			items = append(items, u)
		}
	}
	asTable := strings.Contains(r.Header.Get("Accept"), "as=Table")
	if q.name == "" && asTable {
		reply(w, memberTable(q.kind, items))
		return
	}
	if q.name == "" {
		list := &unstructured.UnstructuredList{Items: items}
		list.SetAPIVersion(q.version)
		list.SetKind(q.kind + "List")
		list.SetResourceVersion("1")
		reply(w, list)
		return
	}
	i := slices.IndexFunc(items, func(u unstructured.Unstructured) bool { return u.GetName() == q.name })
	if i < 0 {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%s %q not found", q.resource, q.name))
		return
	}
	if asTable {
		reply(w, memberTable(q.kind, items[i:i+1]))
		return
	}
	reply(w, &items[i])
}

// memberQuery is what a path asks for.
type memberQuery struct {
	version, resource, kind, namespace, name, sub string
}

// parseMemberPath reads api/v1/[namespaces/NS/]RESOURCE[/NAME[/log]] and the
// same below the API groups of a member.
func parseMemberPath(path []string) (q memberQuery, ok bool) {
	kinds := map[string]string{"pods": "Pod", "events": "Event", "configmaps": "ConfigMap", "services": "Service", "namespaces": "Namespace"}
	switch {
	case len(path) > 2 && path[0] == "api" && path[1] == "v1":
		q.version, path = "v1", path[2:]
	case len(path) > 3 && path[0] == "apis" && path[1] == "apps" && path[2] == "v1":
		q.version, path = "apps/v1", path[3:]
		kinds = map[string]string{"deployments": "Deployment", "replicasets": "ReplicaSet"}
	case len(path) > 3 && path[0] == "apis" && path[1] == placement.GroupVersion.Group && path[2] == placement.GroupVersion.Version:
		q.version, path = placement.GroupVersion.String(), path[3:]
		kinds = map[string]string{"appliedworks": kindAppliedWork}
	default:
		return q, false
	}
	if len(path) > 2 && path[0] == "namespaces" {
		q.namespace, path = path[1], path[2:]
	}
	q.resource, q.kind = path[0], kinds[path[0]]
	if len(path) > 1 {
		q.name = path[1]
	}
	if len(path) > 2 {
		q.sub = path[2]
	}
	known := q.sub == "" || q.sub == "log" && q.kind == "Pod"
	wide := q.kind == kindAppliedWork || q.kind == "Namespace"
	return q, q.kind != "" && len(path) <= 3 && known && (q.name == "" || wide != (q.namespace != ""))
}

// memberDiscovery is what a member says about itself.
var memberDiscovery = map[string]any{
	"version": map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.2"},
	"api":     metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
	"apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{
		memberGroup("apps", "v1"), memberGroup(placement.GroupVersion.Group, placement.GroupVersion.Version),
	}},
	"api/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", Verbs: readVerbs, ShortNames: []string{"po"}},
		{Name: "pods/log", Namespaced: true, Kind: "Pod", Verbs: []string{"get"}},
		{Name: "namespaces", SingularName: "namespace", Kind: "Namespace", Verbs: readVerbs, ShortNames: []string{"ns"}},
		{Name: "configmaps", SingularName: "configmap", Namespaced: true, Kind: "ConfigMap", Verbs: readVerbs, ShortNames: []string{"cm"}},
		{Name: "services", SingularName: "service", Namespaced: true, Kind: "Service", Verbs: readVerbs, ShortNames: []string{"svc"}},
		{Name: "events", SingularName: "event", Namespaced: true, Kind: "Event", Verbs: readVerbs, ShortNames: []string{"ev"}},
	}},
	"apis/apps/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
		{Name: "replicasets", SingularName: "replicaset", Namespaced: true, Kind: "ReplicaSet", Verbs: readVerbs, ShortNames: []string{"rs"}},
		{Name: "deployments", SingularName: "deployment", Namespaced: true, Kind: "Deployment", Verbs: readVerbs, ShortNames: []string{"deploy"}},
	}},
	"apis/" + placement.GroupVersion.String(): metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: placement.GroupVersion.String(), APIResources: []metav1.APIResource{
			{Name: "appliedworks", SingularName: "appliedwork", Kind: kindAppliedWork, Verbs: readVerbs},
		},
	},
}

func memberGroup(name, version string) metav1.APIGroup {
	v := metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version}
	return metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}
}

var readVerbs = []string{"get", "list"}

func reply(w http.ResponseWriter, object any) {
	w.Header().Set("Content-Type", "application/json")
	//nolint:errcheck // a client that has gone away is told nothing
	json.NewEncoder(w).Encode(object)
}

func refuse(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(code))
	//nolint:errcheck // as above
	json.NewEncoder(w).Encode(&metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: code, Reason: reason, Message: message,
	})
}
