package member

import (
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// OwnedLimit is how many objects with another owner are read from a member.
const OwnedLimit = 3

// OwnedReasons are the reasons of failed manifests behind which there may be
// another owner.
var OwnedReasons = map[string]bool{"ManifestsAlreadyOwnedByOthers": true, placement.ReasonManifestFailedToTakeOver: true}

// ownMetadata asks for the metadata of one object.
const ownMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// Owners reads who owns the objects that could not be applied: their metadata, so
// that no Secret is read whole. An error ends it: later objects then have no owners.
func (h *Client) Owners(ctx context.Context, f *page.MemberFacts) {
	for i := range f.Owned {
		if err := h.owner(ctx, &f.Owned[i]); err != nil {
			f.Owned = f.Owned[:i]
			return
		}
	}
}

func (h *Client) owner(ctx context.Context, o *world.MemberObject) error {
	root := "/apis/" + o.Group + "/" + o.Version
	if o.Group == "" {
		root = "/api/" + o.Version
	}
	var served metav1.APIResourceList
	if err := h.fetch(ctx, h.Request(http.MethodGet).AbsPath(root), &served); err != nil {
		return err
	}
	of := slices.IndexFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Kind == o.Kind && !strings.Contains(r.Name, "/") })
	if of < 0 {
		o.Missing = true
		return nil
	}
	r := h.Request(http.MethodGet).AbsPath(root).Resource(served.APIResources[of].Name).Name(o.Name).SetHeader("Accept", ownMetadata)
	if o.Namespace != "" {
		r = r.Namespace(o.Namespace)
	}
	var found metav1.PartialObjectMetadata
	err := h.fetch(ctx, r, &found)
	if client.KindOf(err) == client.Missing {
		o.Missing = true
		return nil
	}
	for _, owner := range found.OwnerReferences {
		o.Owners = append(o.Owners, owner.Kind+" "+owner.Name)
	}
	for _, m := range found.ManagedFields {
		if !slices.Contains(o.Managers, m.Manager) {
			o.Managers = append(o.Managers, m.Manager)
		}
	}
	return err
}
