package ask

import (
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// workloadHead is the part of a workload on the hub that a diagnosis is read from.
type workloadHead struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Template struct {
			Spec struct {
				Containers     []workloadContainer `json:"containers"`
				InitContainers []workloadContainer `json:"initContainers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type workloadContainer struct {
	Image string `json:"image"`
}

// manifest reads a workload of group apps on the hub: its name follows its resource.
func (rd Reader) manifest(ctx context.Context, of engine.ID) (*world.HubManifest, error) {
	ns, name, _ := of.Raw()
	resource, name, _ := strings.Cut(name, "/")
	var o workloadHead
	err := fetch(ctx, rd.hub, rd.hub.Request(http.MethodGet).AbsPath("/apis/apps/v1/namespaces", ns, resource, name), &o)
	if client.IsMissing(err, name) {
		return &world.HubManifest{Missing: true}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &world.HubManifest{Changed: o.CreationTimestamp.Time}
	for _, m := range o.ManagedFields {
		if m.Subresource == "" && m.Time != nil {
			out.Changed = engine.Later(out.Changed, m.Time.Time)
		}
	}
	for _, c := range slices.Concat(o.Spec.Template.Spec.InitContainers, o.Spec.Template.Spec.Containers) {
		out.Images = append(out.Images, c.Image)
	}
	return out, nil
}
