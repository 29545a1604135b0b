package printed

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// MetadataAccept asks for the metadata of the objects of a list.
	MetadataAccept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	// versionsHead and versionsProgress bound the wait for the versions of a list.
	versionsHead, versionsProgress = time.Second, 3 * time.Second
)

// Versions calls each with the version of every object of a list. It returns the version of the list, and
// the server that answered.
func Versions(ctx context.Context, h *client.Client, list *rest.Request, each func(n Name, version string)) (version, server string, err error) {
	body, err := h.Stream(ctx, list.SetHeader("Accept", MetadataAccept), client.Limits{Head: versionsHead, Progress: versionsProgress})
	if err != nil {
		return "", "", err
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	var meta metav1.ListMeta
	err = client.NewJSONStream(body).Fields("items",
		func(raw []byte) error {
			text := func(field string) string { return client.JSONText(raw, "metadata", field) }
			each(Name{text("namespace"), text("name")}, text("resourceVersion"))
			client.Recycle(raw)
			return nil
		},
		func(name string, raw []byte) error {
			if name != "metadata" {
				return nil
			}
			return json.Unmarshal(raw, &meta)
		})
	if err == nil && (meta.ResourceVersion == "" || meta.Continue != "") {
		err = client.ErrNotJSON
	}
	if err != nil {
		return "", "", fmt.Errorf("read versions of a list: %w", err)
	}
	return meta.ResourceVersion, body.Server, nil
}
