package hub

import (
	"fmt"
	"net"
	"net/http"

	noopoteltrace "go.opentelemetry.io/otel/trace/noop"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	extoptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	authunion "k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub/builtin"
)

// built is an API server that does not run yet.
type built struct {
	server *apiserver.CustomResourceDefinitions
	guard  *builtin.NamespaceGuard
}

// build puts the API server together: inside is how it reaches itself at the
// unix listener, address what discovery calls it.
func (h *Hub) build(inside *rest.Config, unix net.Listener, address string) (*built, error) {
	kinds := builtin.Kinds(h.options.PodLogs != nil)
	known, err := builtin.Scheme(kinds)
	if err != nil {
		return nil, err
	}
	etcd := h.etcdOptions()
	guard := &builtin.NamespaceGuard{}
	cfg, err := h.genericConfig(inside, unix, address)
	if err != nil {
		return nil, err
	}
	cfg.AdmissionControl = guard
	describeAPI(cfg, known, kinds)
	if err := etcd.ApplyTo(&cfg.Config); err != nil {
		return nil, err
	}
	// CustomResourceDefinitions and built-in kinds are few and read by the hub
	// itself at once: without a watch cache nothing has to wait until one is
	// filled.
	cached := *etcd
	cached.EnableWatchCache = !h.options.Uncached

	completed := (&apiserver.Config{
		GenericConfig: cfg,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: oneWatchCache{extoptions.NewCRDRESTOptionsGetter(cached, cfg.ResourceTransformers, cfg.StorageObjectCountTracker)},
			ServiceResolver:      webhook.NewDefaultServiceResolver(),
			AuthResolverWrapper: webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, cfg.LoopbackClientConfig,
				noopoteltrace.NewTracerProvider()),
		},
	}).Complete()
	server, err := completed.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("make API server: %w", err)
	}
	groups, err := builtin.Groups(known, kinds, *etcd, h.users.reviews(cfg.Authorization.Authorizer), h.options.PodLogs)
	if err != nil {
		server.GenericAPIServer.Destroy()
		return nil, err
	}
	namespaces, ok := groups[""].VersionedResourcesStorageMap["v1"]["namespaces"].(builtin.NamespaceStore)
	if !ok {
		server.GenericAPIServer.Destroy()
		return nil, fmt.Errorf("make API server: namespaces cannot be read")
	}
	guard.Namespaces = namespaces
	for name, info := range groups {
		if name == "" {
			err = server.GenericAPIServer.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, info)
		} else {
			err = server.GenericAPIServer.InstallAPIGroup(info)
		}
		if err != nil {
			server.GenericAPIServer.Destroy()
			return nil, fmt.Errorf("install API group %q: %w", name, err)
		}
	}
	return &built{server: server, guard: guard}, nil
}

func (h *Hub) etcdOptions() *genericoptions.EtcdOptions {
	codec := apiserver.Codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion)
	etcd := genericoptions.NewEtcdOptions(storagebackend.NewDefaultConfig(registry, codec))
	etcd.StorageConfig.Transport.ServerList = []string{storeURL(h.dir.path)}
	etcd.StorageConfig.CountMetricPollPeriod = 0
	etcd.StorageConfig.DBMetricPollInterval = 0
	etcd.SkipHealthEndpoints = true
	etcd.EnableWatchCache = false
	// There is no garbage collector, so nothing may wait for one: with this, a
	// deletion with orphan or foreground propagation does not hang.
	etcd.EnableGarbageCollection = false
	return etcd
}

// genericConfig is everything about the server that is not what it serves.
func (h *Hub) genericConfig(inside *rest.Config, unix net.Listener, address string) (*genericapiserver.RecommendedConfig, error) {
	cfg := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	cfg.EffectiveVersion = newHubVersion()
	cfg.MergedResourceConfig = apiserver.DefaultAPIResourceConfigSource()
	cfg.ExternalAddress = address
	cfg.EnableProfiling = false
	cfg.ShutdownSendRetryAfter = false
	cfg.MaxRequestsInFlight, cfg.MaxMutatingRequestsInFlight = 1000, 500

	cert, err := dynamiccertificates.NewStaticCertKeyContent("serving", h.cert.certPEM, h.cert.keyPEM)
	if err != nil {
		return nil, fmt.Errorf("read serving certificate: %w", err)
	}
	cfg.SecureServing = &genericapiserver.SecureServingInfo{Listener: unix, Cert: cert}
	cfg.LoopbackClientConfig = inside

	// A wrong token is 401 and no token is anonymous, as on a real hub.
	cfg.Authentication.Authenticator = group.NewAuthenticatedGroupAdder(authunion.NewFailOnError(
		bearertoken.New(tokenfile.New(h.users.byToken)),
		anonymous.NewAuthenticator(nil),
	))
	cfg.Authorization.Authorizer = h.users.authorizer()
	if h.audit != nil {
		cfg.AuditBackend = h.audit
		cfg.AuditPolicyRuleEvaluator = h.audit
	}
	longRunning := cfg.LongRunningFunc
	cfg.LongRunningFunc = func(r *http.Request, info *apirequest.RequestInfo) bool {
		return longRunning(r, info) || isMemberPath(r) || info.Subresource == "log"
	}
	cfg.AggregatedDiscoveryGroupManager = aggregated.NewResourceManager("apis")
	cfg.BuildHandlerChainFunc = func(next http.Handler, c *genericapiserver.Config) http.Handler {
		return genericapiserver.DefaultBuildHandlerChain(h.faulty(h.routes(c.AggregatedDiscoveryGroupManager, next)), c)
	}
	return cfg, nil
}

// describeAPI turns OpenAPI on, for the kinds of apiextensions and for ours.
func describeAPI(cfg *genericapiserver.RecommendedConfig, known *runtime.Scheme, kinds []builtin.Kind) {
	objects := []runtime.Object{
		&authorizationv1.SelfSubjectAccessReview{}, &authorizationv1.SelfSubjectRulesReview{}, &authenticationv1.SelfSubjectReview{},
	}
	for _, b := range kinds {
		objects = append(objects, b.Empty(), b.EmptyList())
	}
	definitions := withSchemas(openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions), objects)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, known)
	cfg.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	cfg.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
}
