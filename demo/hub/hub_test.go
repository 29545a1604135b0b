package hub_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/demo/hub"
)

func gone(err error) bool { return apierrors.IsNotFound(err) }

func TestStopRemovesTheDirectory(t *testing.T) {
	h, err := hub.Start(t.Context(), hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := h.Dir()
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("a running hub has its directory: %v", err)
	}
	begin := time.Now()
	for range 2 {
		if err := h.Stop(); err != nil {
			t.Fatalf("stop: %v", err)
		}
	}
	t.Logf("stopped in %v", time.Since(begin))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("directory after Stop: %v, want it gone", err)
	}
	if err := h.StartAPI(t.Context()); err == nil {
		t.Error("a stopped hub started its API again")
	}
}

// TestReadyTime logs how long a hub with all CRDs takes from nothing to the
// first answer; the machine decides, so nothing is asserted.
func TestReadyTime(t *testing.T) {
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	h := started(t, hub.Options{})
	up := time.Since(begin)
	if err := h.InstallCRDs(t.Context(), manifests...); err != nil {
		t.Fatal(err)
	}
	runs := widgets
	runs.Group, runs.Version, runs.Resource = "placement.kubernetes-fleet.io", "v1beta1", "clusterstagedupdateruns"
	if _, err := client(t, h, hub.AdminUser).Resource(runs).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("API after %v, %d CRDs and a first list after %v", up, len(manifests), time.Since(begin))
}

func TestListensOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.1.1:0", "nonsense"} {
		if h, err := hub.Start(t.Context(), hub.Options{Listen: address}); err == nil {
			t.Errorf("listens on %s", h.URL())
			if err := h.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestUsersAreChecked(t *testing.T) {
	tests := []struct {
		name  string
		users []hub.User
	}{
		{"without a name", []hub.User{{}}},
		{"twice", []hub.User{{Name: "a"}, {Name: "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := hub.Start(t.Context(), hub.Options{Users: tt.users})
			if err == nil {
				t.Error(h.Stop(), "started")
			}
		})
	}
}

func TestKubeconfigLeadsToTheHub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	contexts := append(shared.DefaultContexts(), hub.Context{Name: "member-1", User: hub.ViewerUser, Path: "/members/one"})
	if err := shared.WriteKubeconfig(path, contexts...); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("files beside it: %v", entries)
	}
	file, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if file.CurrentContext != "stagewatch-demo" {
		t.Errorf("current context %q", file.CurrentContext)
	}
	if got := file.Contexts["stagewatch-demo-tenant"].Namespace; got != "team" {
		t.Errorf("the tenant's namespace is %q, want team", got)
	}
	if got := file.Clusters[file.Contexts["member-1"].Cluster].Server; got != shared.URL()+"/members/one" {
		t.Errorf("the member's server is %q", got)
	}
	cfg, err := clientcmd.NewDefaultClientConfig(*file, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if code := get(t, cfg, "/readyz"); code != http.StatusOK {
		t.Errorf("readyz through the kubeconfig: %d", code)
	}
	if _, err := shared.Kubeconfig(hub.Context{Name: "x", User: "nobody"}); err == nil {
		t.Error("a context for an unknown user was written")
	}
}

// get asks for a path and returns the code of the answer.
func get(t *testing.T, cfg *rest.Config, path string) int {
	t.Helper()
	c, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Get(cfg.Host + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

// TestOnlyDeadDirectoriesAreSwept starts a hub among directories that look like
// a hub's.
func TestOnlyDeadDirectoriesAreSwept(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	long := time.Now().Add(-time.Hour)
	tests := []struct {
		name  string
		lock  bool
		old   bool
		file  bool
		stays bool
	}{
		{name: "dead, its lock free", lock: true},
		{name: "being made, no lock yet", stays: true},
		{name: "killed before it had a lock", old: true},
		{name: "a file, no directory", file: true, old: true, stays: true},
	}
	path := func(i int) string { return filepath.Join(tmp, "stagewatch-hub-"+strconv.Itoa(i)) }
	for i, tt := range tests {
		var err error
		if tt.file {
			err = os.WriteFile(path(i), nil, 0o600)
		} else {
			err = os.Mkdir(path(i), 0o700)
		}
		if err == nil && tt.lock {
			err = os.WriteFile(filepath.Join(path(i), "lock"), nil, 0o600)
		}
		if err == nil && tt.old {
			err = os.Chtimes(path(i), long, long)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	started(t, hub.Options{})
	for i, tt := range tests {
		if _, err := os.Stat(path(i)); (err == nil) != tt.stays {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestInstallCRDsSaysWhatIsWrong(t *testing.T) {
	tests := []struct{ name, manifest, want string }{
		{"no CRD", "kind: [", "read CRD"},
		{"an unknown field", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {colour: red}", "colour"},
		{"not valid", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {group: b}", "is invalid"},
		{"there already", string(widgetCRD), "already exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := shared.InstallCRDs(t.Context(), []byte(tt.manifest)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
