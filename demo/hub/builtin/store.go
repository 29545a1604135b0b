package builtin

import (
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// kindStore serves one built-in kind from the store.
type kindStore struct {
	*registry.Store
	shortNames []string
}

var (
	_ rest.StandardStorage    = kindStore{}
	_ rest.ShortNamesProvider = kindStore{}
)

// ShortNames are the abbreviations that kubectl takes for the kind.
func (s kindStore) ShortNames() []string { return s.shortNames }

// statusStore serves the status subresource of a built-in kind.
type statusStore struct{ store *registry.Store }

var (
	_ rest.Patcher             = statusStore{}
	_ rest.Storage             = statusStore{}
	_ rest.ResetFieldsStrategy = statusStore{}
)

func (s statusStore) New() runtime.Object { return s.store.New() }
func (s statusStore) Destroy()            {} // the main resource owns the store

// Get reads the whole object.
func (s statusStore) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

// Update changes nothing but the status.
func (s statusStore) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValid rest.ValidateObjectFunc,
	updateValid rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, info, createValid, updateValid, false, options)
}

// GetResetFields returns the fields that server-side apply of a status cannot
// own.
func (s statusStore) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.store.ResetFieldsStrategy.GetResetFields()
}

// strategy is the behaviour of a built-in kind when it is written.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind Kind
	// status marks the strategy of the status subresource.
	status bool
}

func (s strategy) NamespaceScoped() bool { return s.kind.namespaced }

func (s strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	if s.kind.keepStatus != nil {
		s.kind.keepStatus(obj, nil)
	}
	s.kind.prepare(obj, nil)
}

func (s strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	switch {
	case s.status:
		s.keepAllButStatus(obj, old)
	case s.kind.keepStatus != nil:
		s.kind.keepStatus(obj, old)
		s.kind.prepare(obj, old)
	default:
		s.kind.prepare(obj, old)
	}
}

// keepAllButStatus makes obj a copy of old with obj's status and the parts of
// metadata that the API itself keeps.
func (s strategy) keepAllButStatus(obj, old runtime.Object) {
	sent := obj.DeepCopyObject()
	from, errOld := runtime.DefaultUnstructuredConverter.ToUnstructured(old)
	if errOld != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(from, obj) != nil {
		return // unreachable: both directions are defined for every API type
	}
	s.kind.keepStatus(obj, sent)
	o, errObj := meta.Accessor(obj)
	was, errSent := meta.Accessor(sent)
	if errObj != nil || errSent != nil {
		return // unreachable: every kind here has metadata
	}
	o.SetResourceVersion(was.GetResourceVersion()) // the caller's lock
	o.SetManagedFields(was.GetManagedFields())
}

func (s strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	return validation.ValidateObjectMetaAccessor(m, s.kind.namespaced, s.kind.validName, field.NewPath("metadata"))
}

func (s strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	was, err := meta.Accessor(old)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	return validation.ValidateObjectMetaAccessorUpdate(m, was, field.NewPath("metadata"))
}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string        { return nil }
func (strategy) WarningsOnUpdate(_ context.Context, _, _ runtime.Object) []string { return nil }
func (strategy) AllowCreateOnUpdate(context.Context) bool                         { return false }
func (strategy) AllowUnconditionalUpdate(context.Context) bool                    { return true }
func (strategy) Canonicalize(runtime.Object)                                      {}

// GetResetFields returns the fields that a write to this resource ignores.
func (s strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	version := fieldpath.APIVersion(s.kind.gv.String())
	switch {
	case s.status:
		return map[fieldpath.APIVersion]*fieldpath.Set{version: fieldpath.NewSet(
			fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata"))}
	case s.kind.keepStatus != nil:
		return map[fieldpath.APIVersion]*fieldpath.Set{version: fieldpath.NewSet(fieldpath.MakePathOrDie("status"))}
	default:
		return nil
	}
}

// attributes are an object's labels and the fields that selectors may name.
func (b Kind) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil, err
	}
	set := fields.Set{"metadata.name": m.GetName()}
	if b.namespaced {
		set["metadata.namespace"] = m.GetNamespace()
	}
	if b.fields != nil {
		maps.Copy(set, b.fields(obj))
	}
	return m.GetLabels(), set, nil
}

func (b Kind) selectable() sets.Set[string] {
	names := sets.New("metadata.name")
	if b.namespaced {
		names.Insert("metadata.namespace")
	}
	if b.fields != nil {
		names.Insert(slices.Collect(maps.Keys(b.fields(b.Empty())))...)
	}
	return names
}

func (b Kind) match(label labels.Selector, fieldSelector fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: fieldSelector, GetAttrs: b.attributes}
}

// storages makes the storage of the kind, with its status subresource if any.
func (b Kind) storages(s *runtime.Scheme, options generic.RESTOptionsGetter) (map[string]rest.Storage, error) {
	behave := strategy{ObjectTyper: s, NameGenerator: names.SimpleNameGenerator, kind: b}
	group := b.gv.WithResource(b.resource).GroupResource()
	store := &registry.Store{
		NewFunc:                   b.Empty,
		NewListFunc:               b.EmptyList,
		PredicateFunc:             b.match,
		DefaultQualifiedResource:  group,
		SingularQualifiedResource: b.gv.WithResource(b.singular).GroupResource(),
		CreateStrategy:            behave,
		UpdateStrategy:            behave,
		DeleteStrategy:            behave,
		ResetFieldsStrategy:       behave,
		TableConvertor:            b.table,
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options, AttrFunc: b.attributes}); err != nil {
		return nil, fmt.Errorf("make storage of %s: %w", b.resource, err)
	}
	out := map[string]rest.Storage{b.resource: kindStore{Store: store, shortNames: b.shortNames}}
	if b.keepStatus != nil {
		behave.status = true
		status := *store
		status.UpdateStrategy = behave
		status.ResetFieldsStrategy = behave
		out[b.resource+"/status"] = statusStore{&status}
	}
	return out, nil
}

// Groups makes the API groups of kinds, and adds the storages of others to them.
func Groups(s *runtime.Scheme, kinds []Kind, etcd genericoptions.EtcdOptions, others map[schema.GroupVersion]map[string]rest.Storage, logs PodLogs) (map[string]*genericapiserver.APIGroupInfo, error) {
	codecs := codecs(s)
	groups := map[string]*genericapiserver.APIGroupInfo{}
	put := func(gv schema.GroupVersion, storages map[string]rest.Storage) {
		if groups[gv.Group] == nil {
			info := genericapiserver.NewDefaultAPIGroupInfo(gv.Group, s, runtime.NewParameterCodec(s), codecs)
			info.VersionedResourcesStorageMap[gv.Version] = map[string]rest.Storage{}
			groups[gv.Group] = &info
		}
		maps.Copy(groups[gv.Group].VersionedResourcesStorageMap[gv.Version], storages)
	}
	etcd.StorageConfig.Codec = codecs.LegacyCodec(corev1.SchemeGroupVersion, appsv1.SchemeGroupVersion)
	options := etcd.CreateRESTOptionsGetter(&genericoptions.SimpleStorageFactory{StorageConfig: etcd.StorageConfig}, nil)
	for _, b := range kinds {
		storages, err := b.storages(s, options)
		if err != nil {
			return nil, err
		}
		if pods, ok := storages["pods"].(rest.Getter); ok {
			storages["pods/log"] = podLogStore{pods: pods, logs: logs}
		}
		put(b.gv, storages)
	}
	for gv, storages := range others {
		put(gv, storages)
	}
	return groups, nil
}
