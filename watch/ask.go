package watch

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// Ask reads the answer to a Question, outside of the feed and with a deadline.
// The Answer carries the Question.
func (s *Session) Ask(ctx context.Context, q page.Question) page.Answer {
	deadline := askDeadline
	if q.Kind == page.QuestionMember && q.Quiet { // nobody waits for it
		deadline += loginDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	switch q.Kind {
	case page.QuestionYAML:
		lines, err := s.yaml(ctx, q.About)
		if err != nil {
			f := sortError(err, s.hub.server)
			if f.kind == failNotFound {
				f.hint = engine.Lit("it was deleted, or deleted and created again")
			}
			return page.Answer{Question: q, Err: f.err, Hint: f.hint}
		}
		return page.Answer{Question: q, Lines: lines}
	case page.QuestionRehearse:
		return s.rehearse(ctx, q)
	case page.QuestionPlan:
		return s.plan(ctx, q)
	}
	return s.page(ctx, q)
}

// yaml reads an object and writes it as YAML, without managedFields and without
// the values of Secrets.
func (s *Session) yaml(ctx context.Context, id engine.ID) ([]engine.Text, error) {
	w := &write{ctx: ctx, client: s.hub, now: time.Now, patience: s.patience.usual()}
	o, err := w.read(ctx, id)
	if err != nil {
		return nil, err
	}
	return yamlLines(o)
}

func yamlLines(o *unstructured.Unstructured) ([]engine.Text, error) {
	o.SetManagedFields(nil)
	maskSecrets(o.Object)
	var b bytes.Buffer
	if err := json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil, json.SerializerOptions{Yaml: true}).Encode(o, &b); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return engine.Lines(b.String()), nil
}
