package member

import (
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// OwnedLimit is how many objects with another owner are read from a member.
const OwnedLimit = 3

// OwnedReasons are the reasons of failed manifests behind which there may be
// another owner.
var OwnedReasons = map[string]bool{"ManifestsAlreadyOwnedByOthers": true, placement.ReasonManifestFailedToTakeOver: true}

// ownMetadata asks for the metadata of one object.
const ownMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// ownerHead is the part of an object's metadata that says who owns it: annotations
// may repeat the whole object.
type ownerHead struct {
	Metadata struct {
		OwnerReferences []struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Name       string `json:"name"`
		} `json:"ownerReferences"`
		ManagedFields []struct {
			Manager string `json:"manager"`
		} `json:"managedFields"`
	} `json:"metadata"`
}

// Owners reads who owns the objects that could not be applied: their metadata, so
// that no Secret is read whole. All are read at once; each says why it was not read.
func (h *Client) Owners(ctx context.Context, f *workload.Facts) {
	var reads task.Reads
	for i := range f.Owned {
		reads.Go(func() {
			if err := h.owner(ctx, &f.Owned[i]); err != nil {
				f.Owned[i].Why = h.Failure(err).Err
			}
		})
	}
	reads.Wait()
}

func (h *Client) owner(ctx context.Context, o *world.MemberObject) error {
	root := "/apis/" + o.Group + "/" + o.Version
	if o.Group == "" {
		root = "/api/" + o.Version
	}
	var served metav1.APIResourceList
	err := h.fetch(ctx, h.Request(http.MethodGet).AbsPath(root), &served)
	if err != nil && (o.Group == "" || client.KindOf(err) != client.NotServed) {
		return err // each API server has the core group
	}
	of := slices.IndexFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Kind == o.Kind && !strings.Contains(r.Name, "/") })
	if of < 0 {
		o.NoKind = true
		return nil
	}
	r := h.Request(http.MethodGet).AbsPath(root).Resource(served.APIResources[of].Name).Name(o.Name).SetHeader("Accept", ownMetadata)
	if o.Namespace != "" {
		r = r.Namespace(o.Namespace)
	}
	var found ownerHead
	err = h.fetch(ctx, r, &found)
	if client.KindOf(err) == client.Missing {
		o.Missing = true
		return nil
	}
	for _, owner := range found.Metadata.OwnerReferences {
		if owner.Kind == "AppliedWork" && strings.HasPrefix(owner.APIVersion, placement.Group+"/") {
			o.AppliedWorks = append(o.AppliedWorks, owner.Name) // Fleet's own
			continue
		}
		o.Owners = append(o.Owners, owner.Kind+" "+owner.Name)
	}
	for _, m := range found.Metadata.ManagedFields {
		if !slices.Contains(o.Managers, m.Manager) {
			o.Managers = append(o.Managers, m.Manager)
		}
	}
	return err
}
