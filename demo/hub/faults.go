package hub

import (
	"bytes"
	"io"
	"net/http"

	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// SetFaults puts a middleware inside the API, behind login, rights and the log
// that Requests reads, in place of the answers that the API itself would give:
// unlike with SetIntercept, what it refuses, delays or loses is told by
// Requests, with the status it answered; a panic counts as 500 there, so replies
// that are to be lost after the API has acted are lost with SetIntercept. It
// replaces the one before; nil removes it. The hub's own traffic does not pass
// through it.
func (h *Hub) SetFaults(middleware func(next http.Handler) http.Handler) {
	if middleware == nil {
		h.faults.Store(nil)
		return
	}
	h.faults.Store(&middleware)
}

// faulty hands requests to the faults that are set, if any.
func (h *Hub) faulty(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		middleware := h.faults.Load()
		if who, ok := request.UserFrom(r.Context()); middleware == nil || !ok || who.GetName() == user.APIServerUser {
			next.ServeHTTP(w, r)
			return
		}
		if err := noteBody(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		(*middleware)(next).ServeHTTP(w, r)
	})
}

// noteBody puts the body of a request into the log: the API does so itself only
// with what it handles.
func noteBody(r *http.Request) error {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := r.Body.Close(); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	audit.LogRequestPatch(r.Context(), body)
	return nil
}
