package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Choices reads the placements and strategies of a namespace, the cluster scope for the empty
// one, and the snapshots of a placement if it is named. What cannot be read is empty.
func Choices(ctx context.Context, cfg Config, namespace, placement string) (engine.Choices, error) {
	h, err := client.NewKnown(cfg.Context, cfg.REST, cfg.Known)
	if err != nil {
		return engine.Choices{}, err
	}
	defer h.Close()
	if err := h.Discover(ctx); err != nil {
		return engine.Choices{}, servedError(h, err)
	}
	kind := engine.KindClusterResourcePlacement
	if namespace != "" {
		kind = engine.KindResourcePlacement
	}
	a := ask.New(ask.Config{Hub: h, Named: cfg.named(), Seen: func() *engine.Snapshot { return nil }}).
		Answer(ctx, page.ChoicesQuestion{Placement: h.Name().ID(kind, namespace, placement, "")})
	return a.Choices, nil
}

// Namespaces reads the names of the namespaces of a hub.
func Namespaces(ctx context.Context, cfg Config) ([]engine.Text, error) {
	h, err := client.NewKnown(cfg.Context, cfg.REST, cfg.Known)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	var list metav1.PartialObjectMetadataList
	if err := fetchInto(ctx, h, &list, "/api/v1/namespaces"); err != nil {
		return nil, servedError(h, err)
	}
	names := make([]engine.Text, len(list.Items))
	for i := range list.Items {
		names[i] = engine.Clean(list.Items[i].Name)
	}
	return names, nil
}
