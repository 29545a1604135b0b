package watch

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// ErrNoNamespace means that the hub does not have the namespace that was named.
var ErrNoNamespace = errors.New("namespace not found")

// namespaceDeadline bounds the check of a namespace.
const namespaceDeadline = 2 * time.Second

// namespaceExists fails with an OnceError when the hub answers that it does not
// have the namespace. Any other answer, Forbidden for example, says nothing
// about the namespace, and is no error.
func namespaceExists(ctx context.Context, h *client.Client, name string) error {
	if name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, namespaceDeadline)
	defer cancel()
	_, err := h.Do(ctx, h.Request(http.MethodGet).AbsPath("/api/v1").Resource("namespaces").Name(name).MaxRetries(0))
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) || status.Status().Details == nil || status.Status().Details.Kind != "namespaces" {
		return nil // a server that knows no namespaces is another problem
	}
	var names []string
	if all, err := namespacesOf(ctx, h); err == nil { // without the right to list them there is no suggestion
		for _, n := range all {
			names = append(names, n.String())
		}
	}
	return &OnceError{
		kind: ErrNoNamespace, Err: engine.Textf("namespace %q not found", engine.Clean(name)),
		Similar: engine.DidYouMean(name, names), Hint: engine.Lit("list the namespaces with kubectl get namespaces"),
	}
}

// CheckNamespace fails when the hub answers that it does not have the namespace
// of the Config.
func (s *Session) CheckNamespace(ctx context.Context) error {
	return namespaceExists(ctx, s.hub, s.cfg.Namespace)
}
