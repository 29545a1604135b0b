package ask

import (
	"fmt"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	// pageSize is how many objects one request for a list returns; largePageSize
	// for kinds whose objects may have a megabyte.
	pageSize, largePageSize = 500, 50
	// maxPages bounds a list that does not end.
	maxPages = 400
)

// eachPage reads a list in pages and hands each object to add. get sends a request
// and decodes its answer.
func eachPage[T any](h *client.Client, resource, namespace, selector string, get func(r *rest.Request, into any) error, add func(*T)) error {
	size := pageSize
	switch resource {
	case placement.ResourceClusterStagedUpdateRuns, placement.ResourceStagedUpdateRuns,
		placement.ResourceClusterResourceSnapshots, placement.ResourceResourceSnapshots, placement.ResourceWorks:
		size = largePageSize
	}
	next := ""
	for range maxPages {
		r := h.Set(http.MethodGet, resource, namespace, "").MaxRetries(0).Param("limit", strconv.Itoa(size))
		if selector != "" {
			r = r.Param("labelSelector", selector)
		}
		if next != "" {
			r = r.Param("continue", next)
		}
		var page struct {
			Metadata metav1.ListMeta `json:"metadata"`
			Items    []T             `json:"items"`
		}
		if err := get(r, &page); err != nil {
			return err
		}
		for i := range page.Items {
			add(&page.Items[i])
		}
		if next = page.Metadata.Continue; next == "" {
			return nil
		}
	}
	return fmt.Errorf("list %s: it has more than %d pages", resource, maxPages)
}
