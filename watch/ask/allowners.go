package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/tally"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

const (
	// readFor is how long one question goes on with the read of all bindings.
	readFor = time.Second
	// abandonedAfter is when a read that no question goes on with is given up, and
	// repeatedWithin until when a question after its end gets the same answer: that about
	// several hubs is repeated until all are read.
	abandonedAfter, repeatedWithin = 30 * time.Second, 5 * time.Second
	// pageHead and pageProgress bound the wait for a page of bindings.
	pageHead, pageProgress = 10 * time.Second, 3 * time.Second
	// mostRestarts is how often the read begins anew because the API server does not have
	// its version any more.
	mostRestarts = 3
)

// bindingsRead is a read of every binding of the hub, in pages. A question reads for a
// second, and the next one goes on: nothing is read while nobody looks.
type bindingsRead struct {
	sets     []engine.Kind // not read yet, the first of them in part
	next     string        // where the first set goes on; empty for its beginning
	left     int64         // objects that the first set still has, 0 if that is not known
	began    time.Time     // on the hub's clock
	asked    time.Time
	restarts int
	tally    *tally.Tally
	unread   int
	bytes    int64 // decompressed
	why      []engine.Text
	// namespace is what the namespaced set is limited to; empty for all.
	namespace string
	// listed is set when a set could be read, refused is why one could not.
	listed  bool
	refused error
}

// begin starts to read the bindings of the scopes of the session.
func (s *Asker) begin(restarts int) *bindingsRead {
	r := &bindingsRead{began: s.Hub.Now(), restarts: restarts, tally: tally.New(), namespace: s.Namespace}
	if s.ClusterRuns {
		r.sets = append(r.sets, engine.KindClusterResourceBinding)
	}
	if s.NamespacedRuns {
		r.sets = append(r.sets, engine.KindResourceBinding)
	}
	return r
}

// allOwners goes on with the read of all bindings, and returns what it has counted so far.
func (s *Asker) allOwners(ctx context.Context) (page.Answer, error) {
	s.readingLock.Lock()
	defer s.readingLock.Unlock()
	if s.reading == nil || s.reading.isOld() {
		s.reading = s.begin(0)
	}
	for began := time.Now(); len(s.reading.sets) > 0 && time.Since(began) < readFor; {
		if err := s.goOn(ctx); err != nil {
			return page.Answer{}, err
		}
	}
	r := s.reading
	r.asked = time.Now()
	if len(r.sets) == 0 && !r.listed && r.refused != nil {
		return page.Answer{}, r.refused // nothing is known: that is not "no bindings"
	}
	return tally.Page(r.tally, r.unread, r.progress(), r.why, r.began), nil
}

// isOld reports whether a question begins a new read.
func (r *bindingsRead) isOld() bool {
	if len(r.sets) == 0 {
		return time.Since(r.asked) > repeatedWithin
	}
	return time.Since(r.asked) > abandonedAfter
}

// progress says how far the read is; empty at its end.
func (r *bindingsRead) progress() engine.Text {
	n := r.tally.Bindings() + r.unread
	switch {
	case len(r.sets) == 0:
		return engine.Text{}
	case r.left > 0:
		return engine.Textf("reading bindings: %d of %d, %s", n, n+int(r.left), engine.Size(r.bytes))
	}
	return engine.Textf("reading bindings: %d, %s", n, engine.Size(r.bytes))
}

// goOn reads one page. A set that is not permitted is named on the page; the fallback namespace
// replaces all namespaces. If the permission is lost between two pages, all is read from the beginning, mostRestarts times at most. The page that
// could not be read is requested again by the next question, unless a part of it is counted.
func (s *Asker) goOn(ctx context.Context) error {
	r := s.reading
	count, next := r.tally.Bindings()+r.unread, r.next
	err := r.page(ctx, s)
	kind := client.KindOf(err)
	if (kind == client.NotServed || kind == client.Forbidden) && s.Hub.MayBeStarting() {
		kind = client.Unreachable
		err = errors.New(client.Message(err))
	}
	if kind == client.Forbidden && next != "" {
		kind = client.Expired
	}
	switch kind {
	case client.NoFailure:
		r.listed = true
	case client.Expired:
		if r.restarts == mostRestarts {
			s.reading = nil
			return err
		}
		s.reading = s.begin(r.restarts + 1)
		return nil
	case client.NotServed:
	case client.Forbidden:
		why := s.Hub.Failure(err).Err
		if r.sets[0].Namespaced() && r.namespace == "" && s.Fallback != "" {
			r.namespace = s.Fallback
			r.why = append(r.why, engine.Textf("bindings outside namespace %s: %s", engine.Clean(r.namespace), why))
			return nil
		}
		r.why, r.refused = append(r.why, why), err
	default:
		if r.next = next; r.tally.Bindings()+r.unread != count {
			s.reading = nil
		}
		return err
	}
	if r.next == "" {
		r.sets, r.left = r.sets[1:], 0
	}
	return nil
}

// page reads the next page of the first set.
func (r *bindingsRead) page(ctx context.Context, s *Asker) error {
	kind, namespace := r.sets[0], ""
	if kind.Namespaced() {
		namespace = r.namespace
	}
	request := s.Hub.At(http.MethodGet, kind, namespace, "").Param("limit", strconv.Itoa(pageSize))
	if r.next != "" {
		request = request.Param("continue", r.next)
	}
	r.next = ""
	body, err := s.Hub.Stream(ctx, request, client.Limits{Head: pageHead, Progress: pageProgress})
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	whole := false
	of := kind.InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
	err = client.NewJSONStream(&counted{body, &r.bytes}).Fields("items",
		func(raw []byte) error {
			defer client.Recycle(raw)
			b, err := objectjson.DecodeBinding(raw)
			if err != nil {
				r.unread++
				return nil //nolint:nilerr // the others are counted
			}
			r.tally.Add(s.Hub.Name().ID(of, b.Metadata.Namespace, b.Metadata.Labels.Placement, ""), bindingOf(b))
			return nil
		},
		func(name string, raw []byte) error {
			if name != "metadata" {
				return nil
			}
			var meta metav1.ListMeta
			if err := json.Unmarshal(raw, &meta); err != nil {
				return fmt.Errorf("metadata: %w: %w", client.ErrNotJSON, err)
			}
			whole = meta.ResourceVersion != ""
			if r.next, r.left = meta.Continue, 0; meta.RemainingItemCount != nil {
				r.left = *meta.RemainingItemCount
			}
			return nil
		})
	if err == nil && !whole {
		err = fmt.Errorf("no resourceVersion: %w", client.ErrNotJSON)
	}
	if err != nil {
		return fmt.Errorf("read list of %s: %w", kind.Plural(), err)
	}
	return nil
}

// bindingOf is what the count of bindings depends on.
func bindingOf(b *objectjson.Binding) *placement.ResourceBinding {
	out := &placement.ResourceBinding{}
	out.Name, out.Generation, out.DeletionTimestamp = b.Metadata.Name, b.Metadata.Generation, b.Metadata.DeletionTimestamp
	out.Spec.State, out.Spec.TargetCluster = placement.BindingState(b.Spec.State), b.Spec.TargetCluster
	out.Spec.ResourceSnapshotName, out.Spec.ApplyStrategy = b.Spec.ResourceSnapshotName, b.Spec.ApplyStrategy
	out.Status.Conditions = b.Status.Conditions
	return out
}

// counted is a body whose bytes are counted.
type counted struct {
	io.Reader
	bytes *int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.bytes += int64(n)
	return n, err
}
