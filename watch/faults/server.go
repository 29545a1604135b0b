package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// object is the JSON of an object.
type object map[string]any

func (o object) raw() []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // only maps, texts and numbers are in it
	}
	return b
}

func (o object) metadata() map[string]any {
	m, ok := o["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		o["metadata"] = m
	}
	return m
}

// key names an object within the server.
type key struct{ resource, namespace, name string }

// Change is one change of an object, in the order of resourceVersions.
type Change struct {
	Version                   int
	At                        time.Time
	Resource, Namespace, Name string
	Type                      string // ADDED, MODIFIED, DELETED
	raw                       []byte
	labels                    map[string]any
	era                       int
}

// kept is how many changes a watch can begin behind the newest.
const kept = 2000

// bookmarkEvery is how often a watch sends a bookmark, as a real API server does.
const bookmarkEvery = time.Minute

// APIServer is an API server in memory: lists with pages, watches with bookmarks,
// resourceVersions that expire and, after Restore, that lie in the future. It serves any
// resource and validates nothing.
type APIServer struct {
	mu      sync.Mutex
	version int
	oldest  int // watches from before it expire
	objects map[key]object
	changes []Change
	history []Change      // everything that happened, restored or not
	changed chan struct{} // closed and replaced by every change
	era     int           // counts restarts and restores; watches of an earlier one end
	base    Backup        // the state at the begin of the era
	system  string        // UID of the namespace kube-system
	uids    int
}

// NewAPIServer returns a server without objects.
func NewAPIServer() *APIServer {
	return &APIServer{
		version: 100, oldest: 100, objects: map[key]object{}, changed: make(chan struct{}), system: "system-0",
		base: Backup{version: 100, objects: map[key]object{}},
	}
}

// Put creates or replaces an object of a resource. It returns its resourceVersion.
func (s *APIServer) Put(resource string, o map[string]any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := clone(o)
	m := stored.metadata()
	k := key{resource, text(m["namespace"]), text(m["name"])}
	kind := "ADDED"
	if old, ok := s.objects[k]; ok {
		kind = "MODIFIED"
		m["uid"], m["creationTimestamp"] = old.metadata()["uid"], old.metadata()["creationTimestamp"]
	} else {
		s.uids++
		m["uid"], m["creationTimestamp"] = fmt.Sprintf("uid-%d", s.uids), time.Now().UTC().Format(time.RFC3339)
	}
	s.objects[k] = stored
	s.note(k, kind, stored)
	return s.version
}

// Delete removes an object; one that does not exist is no error.
func (s *APIServer) Delete(resource, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{resource, namespace, name}
	if o, ok := s.objects[k]; ok {
		delete(s.objects, k)
		s.note(k, "DELETED", clone(o))
	}
}

// note appends a change, with the lock held.
func (s *APIServer) note(k key, kind string, o object) {
	s.version++
	o.metadata()["resourceVersion"] = strconv.Itoa(s.version)
	labels, _ := o.metadata()["labels"].(map[string]any)
	c := Change{
		Version: s.version, At: time.Now(), Resource: k.resource, Namespace: k.namespace, Name: k.name, Type: kind, labels: labels, era: s.era,
		raw: object{"type": kind, "object": map[string]any(clone(o))}.raw(),
	}
	s.changes, s.history = append(s.changes, c), append(s.history, c)
	if len(s.changes) > kept {
		s.changes = slices.Clone(s.changes[len(s.changes)-kept:])
		s.oldest = max(s.oldest, s.changes[0].Version-1)
	}
	s.ring()
}

func (s *APIServer) ring() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Compact forgets the changes up to now: watches from before expire. Watches that are open
// get their changes, also from a cache that lags behind, as they do from a real API server.
func (s *APIServer) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.oldest = s.version
}

// Restart ends all watches and forgets the changes; objects and versions stay.
func (s *APIServer) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes, s.oldest = nil, s.version
	s.begin()
}

// begin begins an era, with the lock held.
func (s *APIServer) begin() {
	s.era++
	s.base = s.backup()
	s.ring()
}

// Backup is the state of a server at one moment.
type Backup struct {
	version int
	objects map[key]object
}

// Backup returns the present state.
func (s *APIServer) Backup() Backup {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.backup()
}

func (s *APIServer) backup() Backup {
	b := Backup{version: s.version, objects: map[key]object{}}
	for k, o := range s.objects {
		b.objects[k] = clone(o)
	}
	return b
}

// Restore goes back to an earlier state with its lower resourceVersions and ends all
// watches. system, if not empty, is the new UID of the namespace kube-system.
func (s *APIServer) Restore(b Backup, system string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.oldest, s.changes = b.version, b.version, nil
	s.objects = map[key]object{}
	for k, o := range b.objects {
		s.objects[k] = clone(o)
	}
	if system != "" {
		s.system = system
	}
	s.begin()
}

// Copy returns another server with a store of its own that has the same state.
func (s *APIServer) Copy() *APIServer {
	b := s.Backup()
	s.mu.Lock()
	defer s.mu.Unlock()
	other := NewAPIServer()
	other.version, other.oldest, other.objects, other.system, other.uids = b.version, s.oldest, b.objects, s.system, s.uids
	other.changes, other.history, other.era, other.base = slices.Clone(s.changes), slices.Clone(s.history), s.era, s.base
	return other
}

// History returns every change since the start, those that a restore took back included.
func (s *APIServer) History() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.history)
}

// Versions returns the resourceVersions of the objects of a resource by NAMESPACE/NAME.
func (s *APIServer) Versions(resource string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for k, o := range s.objects {
		if k.resource == resource {
			out[k.namespace+"/"+k.name] = text(o.metadata()["resourceVersion"])
		}
	}
	return out
}

func text(v any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	return s
}

func clone(o map[string]any) object {
	var out object
	if err := json.Unmarshal(object(o).raw(), &out); err != nil {
		panic(err) // what was marshalled can be read
	}
	return out
}

// ServeHTTP implements http.Handler.
func (s *APIServer) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &Replica{s: s}) }

// serve answers a request as a replica does.
func (s *APIServer) serve(w http.ResponseWriter, r *http.Request, by *Replica) {
	path := strings.Trim(r.URL.Path, "/")
	switch {
	case strings.HasSuffix(path, "selfsubjectreviews"):
		reply(w, object{"status": object{"userInfo": object{"username": "admin"}}})
		return
	case strings.HasSuffix(path, "selfsubjectaccessreviews"):
		reply(w, object{"kind": "SelfSubjectAccessReview", "status": object{"allowed": true}})
		return
	case path == "api/v1/namespaces/kube-system":
		s.mu.Lock()
		uid := s.system
		s.mu.Unlock()
		reply(w, object{"kind": "Namespace", "apiVersion": "v1", "metadata": object{"name": "kube-system", "uid": uid}})
		return
	}
	parts := strings.Split(path, "/")
	if len(parts) == 2 && parts[0] == "apis" {
		reply(w, object{"kind": "APIGroup", "versions": []any{object{"version": "v1beta1"}}})
		return
	}
	namespace := ""
	if len(parts) >= 6 && parts[3] == "namespaces" {
		namespace, parts = parts[4], slices.Delete(slices.Clone(parts), 3, 5)
	}
	if r.Method != http.MethodGet || len(parts) < 4 || len(parts) > 5 || parts[0] != "apis" {
		status(w, http.StatusNotFound, "the server could not find the requested resource", nil)
		return
	}
	resource := parts[3]
	switch {
	case len(parts) == 5:
		s.get(w, key{resource, namespace, parts[4]})
	case Watches(r):
		by.watch(w, r, resource, namespace)
	case strings.Contains(r.Header.Get("Accept"), "as=Table"):
		status(w, http.StatusNotAcceptable, "no tables", nil)
	default:
		by.list(w, r, resource, namespace)
	}
}

func reply(w http.ResponseWriter, o object) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(o.raw()) //nolint:errcheck // the client is gone
}

func (s *APIServer) get(w http.ResponseWriter, k key) {
	s.mu.Lock()
	o, ok := s.objects[k]
	var raw []byte
	if ok {
		raw = o.raw()
	}
	s.mu.Unlock()
	if !ok {
		status(w, http.StatusNotFound, k.resource+" "+k.name+" not found", object{"name": k.name})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(raw) //nolint:errcheck // the client is gone
}
