package hub

import (
	"bytes"
	"io"
	"net/http"

	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// SetFaults installs a middleware inside the API server, after authentication,
// authorization and the log of Requests, and before its handlers. Requests
// therefore returns what the middleware rejects, delays or drops, with the
// status of the answer; a panic counts as 500. To lose a reply after the
// request was executed, use SetIntercept. A call replaces the middleware, nil
// removes it. Requests of the hub itself bypass it.
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
