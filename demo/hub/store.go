package hub

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// walSegmentBytes replaces etcd's 64 MB segments, of which it allocates two on
// disk at every start.
const walSegmentBytes = 4 << 20

func init() {
	// etcd offers no other way to set it, and it must not change while a store
	// runs: once per program, before any store, is the safe moment.
	wal.SegmentSizeBytes = walSegmentBytes
}

// startStore starts a single-member etcd below dir, reachable by unix sockets
// there only.
func startStore(ctx context.Context, dir string) (*embed.Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(dir, "etcd")
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	// The data does not outlive the process, so nothing is gained by waiting
	// for the disk.
	cfg.UnsafeNoFsync = true
	cfg.SnapshotCount = 5000
	cfg.QuotaBackendBytes = 2 << 30
	cfg.MaxRequestBytes = 4 << 20
	// There is nobody to be elected against: shorten the election.
	cfg.TickMs = 10
	cfg.ElectionMs = 50
	clients := url.URL{Scheme: "unix", Path: filepath.Join(dir, "etcd.sock")}
	peers := url.URL{Scheme: "unix", Path: filepath.Join(dir, "peer.sock")}
	cfg.ListenClientUrls = []url.URL{clients}
	cfg.AdvertiseClientUrls = []url.URL{clients}
	cfg.ListenPeerUrls = []url.URL{peers}
	cfg.AdvertisePeerUrls = []url.URL{peers}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)

	store, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-store.Server.ReadyNotify():
		return store, nil
	case err = <-store.Err():
	case <-store.Server.StopNotify():
		err = errors.New("it stopped")
	case <-ctx.Done():
		err = ctx.Err()
	}
	store.Close()
	return nil, fmt.Errorf("start etcd: %w", err)
}

// storeURL is where the store of a hub in dir answers.
func storeURL(dir string) string { return "unix://" + filepath.Join(dir, "etcd.sock") }

// Put writes the JSON of a custom resource into the store, past the API server: nothing
// is defaulted or validated, and the generation stays as it is. The API server and its
// watches see the object as if it had been written through another server. It is for
// measurements, which need more objects and changes than an API server accepts in time.
func (h *Hub) Put(ctx context.Context, resource schema.GroupResource, namespace, name string, object []byte) error {
	store := h.open()
	if store == nil {
		return errors.New("write to the store: the hub is stopped")
	}
	if _, err := store.Server.Put(ctx, &etcdserverpb.PutRequest{Key: storeKey(resource, namespace, name), Value: object}); err != nil {
		return fmt.Errorf("write to the store: %w", err)
	}
	return nil
}

// Change replaces a custom resource in the store by what change makes of its JSON; nil leaves it as it is. Nothing is
// written if it does not exist, or is written by someone else meanwhile.
func (h *Hub) Change(ctx context.Context, resource schema.GroupResource, namespace, name string, change func(object []byte) ([]byte, error)) error {
	store := h.open()
	if store == nil {
		return errors.New("change the store: the hub is stopped")
	}
	key := storeKey(resource, namespace, name)
	found, err := store.Server.Range(ctx, &etcdserverpb.RangeRequest{Key: key})
	if err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	if len(found.Kvs) == 0 {
		return nil
	}
	object, err := change(found.Kvs[0].Value)
	if object == nil || err != nil {
		return err
	}
	_, err = store.Server.Txn(ctx, &etcdserverpb.TxnRequest{
		Compare: []*etcdserverpb.Compare{{
			Target: etcdserverpb.Compare_MOD, Key: key,
			TargetUnion: &etcdserverpb.Compare_ModRevision{ModRevision: found.Kvs[0].ModRevision},
		}},
		Success: []*etcdserverpb.RequestOp{{Request: &etcdserverpb.RequestOp_RequestPut{RequestPut: &etcdserverpb.PutRequest{Key: key, Value: object}}}},
	})
	if err != nil {
		return fmt.Errorf("write to the store: %w", err)
	}
	return nil
}

// open is the store, nil if the hub is stopped.
func (h *Hub) open() *embed.Etcd {
	h.life.Lock()
	defer h.life.Unlock()
	return h.store
}

func storeKey(resource schema.GroupResource, namespace, name string) []byte {
	return []byte(path.Join(registry, resource.Group, resource.Resource, namespace, name))
}

// registry is where the API server keeps its objects in the store.
const registry = "/registry"
