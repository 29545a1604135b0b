package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/selector"
	"github.com/stagewatch/stagewatch/watch/client"
)

// ErrSelector is returned for a selector that the API server rejects.
var ErrSelector = errors.New("the API server rejects the selector")

const (
	// selectorPage is how many objects one answer about a selector lists.
	selectorPage = 500
	// maxSelectorPages bounds the answers, which a list that is read whole fills, too.
	maxSelectorPages = 400
)

// Selector chooses runs by their labels and fields, as kubectl does. The API server
// evaluates it. The zero Selector chooses every row.
type Selector struct{ Labels, Fields string }

// IsZero reports whether the selector chooses every row.
func (x Selector) IsZero() bool { return x == Selector{} }

// selectable are the fields that an API server can select runs by: those of every custom
// resource, as the definitions of runs name no others.
const selectable = "metadata.name, metadata.namespace"

// Check refuses a selector that cannot be parsed, and a field that no API server can select,
// before anything is read.
func (x Selector) Check() engine.Refusal {
	if wrong := selector.Wrong(x.Labels); !wrong.IsZero() {
		return engine.Refusal{
			Why:  engine.Textf("invalid label selector %q: %s", engine.Clean(x.Labels), wrong),
			Hint: engine.Lit("write labels such as team=web,tier!=test or 'team in (web,pay)'"),
		}
	}
	parsed, err := fields.ParseSelector(x.Fields)
	if err != nil {
		return engine.Refusal{
			Why:  engine.Textf("invalid field selector %q: %s", engine.Clean(x.Fields), engine.Clean(err.Error())),
			Hint: engine.Lit("write fields such as metadata.namespace=shop"),
		}
	}
	for _, r := range parsed.Requirements() {
		if !slices.Contains(strings.Split(selectable, ", "), r.Field) {
			return engine.Refusal{Why: engine.Textf("field label not supported: %s", engine.Clean(r.Field)), Hint: engine.Lit("fields of runs that the API server can select: " + selectable)}
		}
	}
	return engine.Refusal{}
}

// forKind returns the selector for a kind, and whether an object of the kind may match. The
// API server does not know metadata.namespace of a cluster-scoped kind: there it is empty.
func (x Selector) forKind(kind engine.Kind) (Selector, bool) {
	all, err := fields.ParseSelector(x.Fields)
	if err != nil || kind.Namespaced() {
		return x, true // the API server says what is wrong
	}
	var rest []string
	for _, r := range all.Requirements() {
		switch {
		case r.Field != "metadata.namespace":
			rest = append(rest, r.Field+string(r.Operator)+fields.EscapeValue(r.Value))
		case (r.Operator == selection.NotEquals) == (r.Value == ""):
			return x, false
		}
	}
	x.Fields = strings.Join(rest, ",")
	return x, true
}

// Select returns the runs of a Snapshot's scope that the selector chooses; nil for the
// zero Selector, which chooses every row. States depend on runs that a selector does not
// choose, so that all of them are read.
func (s *Session) Select(ctx context.Context, snapshot *engine.Snapshot, x Selector) (map[engine.ID]bool, error) {
	if x.IsZero() {
		return nil, nil
	}
	rows, chosen := map[engine.ID]bool{}, map[engine.ID]bool{}
	for _, v := range snapshot.Runs {
		rows[v.ID] = true
	}
	for _, set := range snapshot.Scope.Runs {
		if set.State != engine.CoverComplete {
			continue // Scope says that it is not listed
		}
		ns, _, _ := set.ID.Raw()
		if err := s.selectOf(ctx, set.ID.Kind(), ns, x, func(id engine.ID) {
			if rows[id] { // a list of others may have any size
				chosen[id] = true
			}
		}); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// selected answers which of the runs on the screen a label selector selects.
func (s *Session) selected(ctx context.Context, q page.SelectQuestion) page.Answer {
	a, x := page.Answer{Question: q}, Selector{Labels: q.Labels.String()}
	if no := x.Check(); no.Refused() {
		a.Err, a.Hint = no.Why, no.Hint
		return a
	}
	seen := s.feed.Latest()
	if seen == nil {
		a.Err = engine.Lit("not loaded yet")
		return a
	}
	var err error
	var why *OnceError
	if a.Selected, err = s.Select(ctx, seen, x); errors.As(err, &why) {
		a.Err, a.Hint = why.Err, why.Hint
	} else if err != nil {
		a.Err = engine.Clean(err.Error())
	}
	return a
}

// selectOf calls add for the chosen runs of one kind.
func (s *Session) selectOf(ctx context.Context, kind engine.Kind, ns string, x Selector, add func(engine.ID)) error {
	x, may := x.forKind(kind)
	for pages, next := 0, ""; may; pages++ {
		if pages == maxSelectorPages {
			return &OnceError{kind: ErrUnreachable, Err: engine.Textf("the list of selected %s has more than %d pages", engine.Clean(kind.Plural()), pages), Hint: engine.Lit("check the API server and proxies on the way")}
		}
		limited, cancel := context.WithTimeout(ctx, onceWait)
		r := s.hub.At(http.MethodGet, kind, ns, "").
			SetHeader("Accept", metadataAccept).
			Param("limit", strconv.Itoa(selectorPage))
		for name, value := range map[string]string{"labelSelector": x.Labels, "fieldSelector": x.Fields, "continue": next} {
			if value != "" {
				r = r.Param(name, value)
			}
		}
		raw, err := s.hub.Do(limited, r)
		cancel()
		if err != nil {
			f := s.hub.Failure(err)
			e := &OnceError{kind: ErrUnreachable, Err: f.Err, Hint: f.Hint}
			switch f.Kind {
			case client.Rejected:
				e.kind, e.Hint = ErrSelector, engine.Lit("fields of runs that the API server can select: "+selectable)
			case client.Forbidden, client.Unauthenticated:
				e.kind = ErrForbidden
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return e
		}
		var list metav1.PartialObjectMetadataList
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("read selected %s: %w: %w", kind.Plural(), client.ErrNotJSON, err)
		}
		for i := range list.Items {
			o := &list.Items[i]
			add(s.hub.Name().ID(kind, o.Namespace, o.Name, string(o.UID)))
		}
		next = list.Continue
		may = next != ""
	}
	return nil
}

// Rows are the rows of a Snapshot that were chosen; all with nil.
func Rows(s *engine.Snapshot, chosen map[engine.ID]bool) []*engine.RunView {
	if chosen == nil {
		return s.Runs
	}
	rows := []*engine.RunView{}
	for _, v := range s.Runs {
		if chosen[v.ID] {
			rows = append(rows, v)
		}
	}
	return rows
}
