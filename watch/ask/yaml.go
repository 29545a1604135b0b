package ask

import (
	"bytes"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask/mask"
)

// yaml reads an object and writes it as YAML, without the values of Secrets.
func (p *pages) yaml(ctx context.Context, of engine.ID) (page.Answer, error) {
	o, err := p.Hub.Read(ctx, of)
	if err != nil {
		return page.Answer{}, err
	}
	lines, err := yamlLines(o)
	return page.Answer{Lines: lines}, err
}

func yamlLines(o *unstructured.Unstructured) ([]engine.Text, error) {
	mask.Secrets(o.Object)
	var b bytes.Buffer
	if err := json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil, json.SerializerOptions{Yaml: true}).Encode(escaped{o}, &b); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return engine.Lines(b.String()), nil
}

// escaped is an object whose JSON has the characters escaped that YAML does not admit.
type escaped struct{ *unstructured.Unstructured }

// MarshalJSON implements json.Marshaler.
func (e escaped) MarshalJSON() ([]byte, error) {
	raw, err := e.Unstructured.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, r := range string(raw) {
		if r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes(), nil
}
