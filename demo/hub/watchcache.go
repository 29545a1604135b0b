package hub

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// oneWatchCache keeps a watch cache for one version of each KubeFleet kind, the
// one that controllers and stagewatch read. The API server makes a cache for each
// served version, and each cache decodes every change: with two served versions
// that was an eighth of the hub's processor time. Requests for the other version
// are answered from etcd.
type oneWatchCache struct{ generic.RESTOptionsGetter }

// GetRESTOptions returns the options of a resource for all its versions. The
// version is known when the storage of each is made.
func (g oneWatchCache) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	if err != nil {
		return options, fmt.Errorf("get storage options of %s: %w", resource, err)
	}
	cached := options.Decorator
	options.Decorator = func(
		config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
		newObject, newList func() runtime.Object, attrs storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		decorate := cached
		switch gv := newObject().GetObjectKind().GroupVersionKind().GroupVersion(); gv.Group {
		case placement.GroupVersion.Group, cluster.GroupVersion.Group:
			if gv != placement.GroupVersion && gv != cluster.GroupVersion {
				decorate = generic.UndecoratedStorage
			}
		}
		return decorate(config, prefix, key, newObject, newList, attrs, trigger, indexers)
	}
	return options, nil
}
