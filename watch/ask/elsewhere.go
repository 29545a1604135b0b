package ask

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// placementsNamed lists the placements that have the name of one that does not exist, in
// the other scope and in other namespaces. What this user may not read is left out.
func (rd Reader) placementsNamed(ctx context.Context, missing engine.ID) []engine.ID {
	var out []engine.ID
	if _, name, _ := missing.Raw(); len(validation.IsDNS1123Subdomain(name)) == 0 {
		is := fields.OneTermEqualSelector("metadata.name", name).String()
		for _, resource := range []string{placement.ResourceClusterResourcePlacements, placement.ResourceResourcePlacements} {
			var list metav1.PartialObjectMetadataList
			r := rd.hub.Set(http.MethodGet, resource, "", "").SetHeader("Accept", metadataOnly).Param("fieldSelector", is)
			if fetch(ctx, rd.hub, r, &list) != nil {
				continue
			}
			for i := range list.Items {
				o := &list.Items[i]
				kind := engine.KindResourcePlacement
				if o.Namespace == "" {
					kind = engine.KindClusterResourcePlacement
				}
				out = append(out, missing.Beside(kind, o.Namespace, o.Name, string(o.UID)))
			}
		}
	}
	return out
}
