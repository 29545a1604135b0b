package printed

import (
	"context"
	"encoding/json"
	"errors"
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

// ErrEnough ends the reading of the versions of a list before its end.
var ErrEnough = errors.New("enough was read")

// Version is an object in a version.
type Version struct {
	Name
	UID, Version string
}

// Versions calls each with every object of a list, until it returns an error. It returns the version of the list,
// and the server that answered.
func Versions(ctx context.Context, h *client.Client, list *rest.Request, each func(Version) error) (version, server string, err error) {
	body, err := h.Stream(ctx, list.SetHeader("Accept", MetadataAccept), client.Limits{Head: versionsHead, Progress: versionsProgress})
	if err != nil {
		return "", "", err
	}
	defer body.Close() //nolint:errcheck // read to its end, or given up
	var meta metav1.ListMeta
	err = client.NewJSONStream(body).Fields("items",
		func(raw []byte) error {
			text := func(field string) string { return client.JSONText(raw, "metadata", field) }
			v := Version{Name{text("namespace"), text("name")}, text("uid"), text("resourceVersion")}
			client.Recycle(raw)
			return each(v)
		},
		func(name string, raw []byte) error {
			if name != "metadata" {
				return nil
			}
			return json.Unmarshal(raw, &meta)
		})
	if err == nil && (meta.ResourceVersion == "" || meta.Continue != "") {
		err = fmt.Errorf("it is not whole: %w", client.ErrNotJSON)
	}
	if err != nil {
		return "", "", fmt.Errorf("read versions of a list: %w", err)
	}
	return meta.ResourceVersion, body.Server, nil
}
