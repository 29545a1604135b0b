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

// list answers a list. Unlike those of a real server, its pages are not consistent: each
// has the present objects after the last name of the page before.
func (s *APIServer) list(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	q := r.URL.Query()
	wanted, err := strconv.Atoi(q.Get("resourceVersion"))
	s.mu.Lock()
	if err == nil && wanted > s.version {
		s.mu.Unlock()
		w.Header().Set("Retry-After", "1")
		status(w, http.StatusGatewayTimeout, "Too large resource version", object{"causes": []any{object{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}}})
		return
	}
	version := s.version
	var keys []key
	for k, o := range s.objects {
		if k.resource == resource && (namespace == "" || k.namespace == namespace) && selected(o, q.Get("labelSelector")) {
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
		items = append(items, s.objects[k].raw())
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

// watch answers a watch until its time is over, the client leaves or the server restarts.
// A resourceVersion of the future brings nothing until it is reached.
func (s *APIServer) watch(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	q := r.URL.Query()
	from, err := strconv.Atoi(q.Get("resourceVersion"))
	s.mu.Lock()
	if err != nil {
		from = s.version
	}
	era := s.era
	expired := from < s.oldest
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
		lines, at, changed, over := s.since(from, resource, namespace, q.Get("labelSelector"), era)
		if over {
			return
		}
		from = at
		for _, line := range lines {
			if _, err := w.Write(append(bytes.Clone(line), '\n')); err != nil {
				return
			}
		}
		flush(w)
		select {
		case <-changed:
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
	}
}

// since returns the events after a version, the version up to which they are, and what is
// closed by the next change. over says that the server was restarted.
func (s *APIServer) since(from int, resource, namespace, selector string, era int) (lines [][]byte, at int, changed <-chan struct{}, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.era != era {
		return nil, 0, nil, true
	}
	for i := range s.changes {
		c := &s.changes[i]
		if c.Version > from && c.Resource == resource && (namespace == "" || c.Namespace == namespace) &&
			selected(object{"metadata": map[string]any{"labels": c.labels}}, selector) {
			lines = append(lines, c.raw)
		}
	}
	return lines, max(from, s.version), s.changed, false
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
