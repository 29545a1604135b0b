package faults

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// list answers a list: of the newest state, or of the one that the replica has. Unlike those of a real server, its pages are not consistent: each
// has the present objects after the last name of the page before.
func (b *Replica) list(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	q, s := r.URL.Query(), b.s
	wanted, err := strconv.Atoi(q.Get("resourceVersion"))
	reached := err != nil || b.reaches(r.Context(), wanted)
	s.mu.Lock()
	if !reached {
		s.mu.Unlock()
		w.Header().Set("Retry-After", "1")
		status(w, http.StatusGatewayTimeout, "Too large resource version", object{"causes": []any{object{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}}})
		return
	}
	version, objects := s.version, s.objects
	if err == nil {
		version, objects = b.state()
	}
	var keys []key
	for k, o := range objects {
		if k.resource == resource && (namespace == "" || k.namespace == namespace) && selected(o, q.Get("labelSelector")) && isNamed(k.name, q.Get("fieldSelector")) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.namespace+"/"+a.name, b.namespace+"/"+b.name) })
	meta := object{}
	if after := q.Get("continue"); after != "" {
		keys = slices.DeleteFunc(keys, func(k key) bool { return k.namespace+"/"+k.name <= after })
	}
	if limit := seconds(r, "limit"); limit > 0 && len(keys) > limit && q.Get("resourceVersion") != "0" {
		meta["remainingItemCount"] = len(keys) - limit
		keys = keys[:limit]
		last := keys[limit-1]
		meta["continue"] = last.namespace + "/" + last.name
	}
	items := make([]json.RawMessage, 0, len(keys))
	for _, k := range keys {
		o := objects[k]
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
			o = object{"metadata": o["metadata"]}
		}
		items = append(items, o.raw())
	}
	s.mu.Unlock()
	meta["resourceVersion"] = strconv.Itoa(version)
	reply(w, object{"kind": "List", "apiVersion": "v1", "metadata": meta, "items": items})
}

// selected applies a label selector of the form key=value.
func selected(o object, selector string) bool {
	k, v, ok := strings.Cut(selector, "=")
	if !ok {
		return true
	}
	labels, isMap := o.metadata()["labels"].(map[string]any)
	return isMap && labels[k] == v
}

// isNamed applies a field selector of the form metadata.name=NAME.
func isNamed(name, selector string) bool {
	want, ok := strings.CutPrefix(selector, "metadata.name=")
	return !ok || name == want
}

// watch answers a watch until its time is over, the client leaves or the server restarts.
// A resourceVersion of the future brings nothing until it is reached.
func (b *Replica) watch(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	q, s := r.URL.Query(), b.s
	from, err := strconv.Atoi(q.Get("resourceVersion"))
	s.mu.Lock()
	if err != nil {
		from, _ = b.visible()
	}
	era, restarts := s.era, b.restarts
	expired := b.expired(from)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if expired {
		status(w, http.StatusGone, "too old resource version", nil)
		return
	}
	w.WriteHeader(http.StatusOK)
	flush(w)
	limit := time.Hour
	if n := seconds(r, "timeoutSeconds"); n > 0 {
		limit = time.Duration(n) * time.Second
	}
	end, bookmark := time.NewTimer(limit), time.NewTicker(bookmarkEvery)
	defer end.Stop()
	defer bookmark.Stop()
	for {
		s.mu.Lock()
		if s.era != era || b.restarts != restarts {
			s.mu.Unlock()
			return
		}
		lines, at := s.since(from, b, resource, namespace, q.Get("labelSelector"))
		_, later := b.visible()
		changed := s.changed
		s.mu.Unlock()
		from = at
		for _, line := range lines {
			if _, err := w.Write(append(bytes.Clone(line), '\n')); err != nil {
				return
			}
		}
		flush(w)
		due := time.NewTimer(later)
		select {
		case <-changed:
		case <-due.C:
		case <-bookmark.C:
			if q.Get("allowWatchBookmarks") == "true" {
				line := object{"type": "BOOKMARK", "object": object{"metadata": object{"resourceVersion": strconv.Itoa(from)}}}.raw()
				if _, err := w.Write(append(line, '\n')); err != nil {
					return
				}
				flush(w)
			}
		case <-end.C:
			return
		case <-r.Context().Done():
			return
		}
		due.Stop()
	}
}

// since returns the events after a version that a replica has, and the version up to which
// they are, with the lock held.
func (s *APIServer) since(from int, b *Replica, resource, namespace, selector string) (lines [][]byte, at int) {
	to, _ := b.visible()
	for i := range s.changes {
		c := &s.changes[i]
		if c.Version > from && c.Version <= to && c.Resource == resource && (namespace == "" || c.Namespace == namespace) &&
			selected(object{"metadata": map[string]any{"labels": c.labels}}, selector) {
			lines = append(lines, c.raw)
		}
	}
	return lines, max(from, to)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
