package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// historyTakes is how long the API server goes on with a watch for past states,
// which it sends at once.
const historyTakes = time.Second

// errHistory: what a watch returned does not lead to the state that was read.
var errHistory = errors.New("the watch did not return every state of the object")

// history returns the states that an object has had since a version, oldest
// first, from a watch that starts there. existed says that the object existed then. last is
// the object as it was read, nil when it does not exist: the states are complete only when they
// lead to it.
func (w *write) history(ctx context.Context, id engine.ID, version string, existed bool, last *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if version == "" {
		return nil, errHistory
	}
	if err := w.catchUp(ctx, id); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, w.Reading)
	defer cancel()
	ns, name, _ := id.Raw()
	stream, err := w.client.Stream(ctx, w.client.At(http.MethodGet, id.Kind(), ns, "").Param("watch", "true").Param("resourceVersion", version).
		Param("fieldSelector", "metadata.name="+name).Param("timeoutSeconds", strconv.Itoa(int(historyTakes/time.Second))), client.Limits{})
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", id.Kind().Plural(), err)
	}
	defer stream.Close() //nolint:errcheck // only read
	var (
		states []*unstructured.Unstructured
		exists = existed
		at     = version
		cut    = client.NewJSONStream(stream)
	)
	for {
		raw, err := cut.Value()
		switch {
		case errors.Is(err, io.EOF) && (last == nil && !exists || last != nil && exists && at == last.GetResourceVersion()):
			return states, nil
		case errors.Is(err, io.EOF):
			return nil, errHistory
		case err != nil:
			return nil, fmt.Errorf("watch %s: %w", id.Kind().Plural(), err)
		}
		var event metav1.WatchEvent
		if err := json.Unmarshal(raw, &event); err != nil {
			return nil, fmt.Errorf("read event: %w: %w", client.ErrNotJSON, err)
		}
		switch event.Type {
		case "ADDED", "MODIFIED", "DELETED":
		case "BOOKMARK":
			continue
		default:
			return nil, apierrors.FromObject(&metav1.Status{Message: string(event.Object.Raw)})
		}
		o, err := client.Decode(event.Object.Raw)
		if err != nil {
			return nil, fmt.Errorf("read event: %w", err)
		}
		// The state of a DELETED event is the last one before the deletion.
		states, exists, at = append(states, o), event.Type != "DELETED", o.GetResourceVersion()
	}
}

// catchUp waits until the API server's cache, from which it serves watches, has all that its store has
// now: a cache that is behind sends no event of what was stored since, and no watch says so.
func (w *write) catchUp(ctx context.Context, id engine.ID) error {
	version := w.versionOf(ctx, id)
	if version == "" {
		return errHistory
	}
	ctx, cancel := context.WithTimeout(ctx, w.Reading)
	defer cancel()
	ns, name, _ := id.Raw()
	_, err := w.client.Do(ctx, w.client.At(http.MethodGet, id.Kind(), ns, "").Param("fieldSelector", "metadata.name="+name).
		Param("resourceVersion", version).Param("resourceVersionMatch", string(metav1.ResourceVersionMatchNotOlderThan)))
	if err != nil {
		return fmt.Errorf("list %s: %w", id.Kind().Plural(), err)
	}
	return nil
}
