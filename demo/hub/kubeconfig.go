package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Context is a kubeconfig context of the hub.
type Context struct {
	// Name of the context.
	Name string
	// User who logs in; one of Options.Users.
	User string
	// Namespace of the context; may be empty.
	Namespace string
	// Path below the hub's address, such as "/members/NAME"; empty for the hub
	// itself.
	Path string
}

// DefaultContexts has one context per user, the admin's first. It is named
// stagewatch-demo, the others stagewatch-demo-USER; a user whose rules name a
// single namespace gets that namespace.
func (h *Hub) DefaultContexts() []Context {
	const base = "stagewatch-demo"
	contexts := []Context{{Name: base, User: AdminUser}}
	for _, name := range h.users.order {
		if name != AdminUser {
			contexts = append(contexts, Context{Name: base + "-" + name, User: name, Namespace: h.users.home(name)})
		}
	}
	return contexts
}

// home is the namespace that all of a user's rules are limited to, if there is
// exactly one.
func (d *directory) home(name string) string {
	var home string
	for _, r := range d.byName[name].Rules {
		if len(r.Namespaces) != 1 || home != "" && home != r.Namespaces[0] {
			return ""
		}
		home = r.Namespaces[0]
	}
	return home
}

// Kubeconfig is a kubeconfig file with the given contexts, the first of which
// is the current one. It holds the users' tokens.
func (h *Hub) Kubeconfig(contexts ...Context) ([]byte, error) {
	if len(contexts) == 0 {
		return nil, errors.New("write kubeconfig: no contexts")
	}
	cfg := clientcmdapi.NewConfig()
	cfg.CurrentContext = contexts[0].Name
	for _, c := range contexts {
		if _, known := h.users.byName[c.User]; !known {
			return nil, fmt.Errorf("write kubeconfig: context %q: no user %q", c.Name, c.User)
		}
		cluster := "stagewatch-demo"
		if c.Path != "" {
			cluster = c.Name
		}
		cfg.Clusters[cluster] = &clientcmdapi.Cluster{Server: h.URL() + c.Path, CertificateAuthorityData: h.cert.certPEM}
		// The name carries the hub's: kubeconfigs get merged.
		login := "stagewatch-demo-" + c.User
		cfg.AuthInfos[login] = &clientcmdapi.AuthInfo{Token: h.users.token(c.User)}
		cfg.Contexts[c.Name] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: login, Namespace: c.Namespace}
	}
	out, err := clientcmd.Write(*cfg)
	if err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	return out, nil
}

// WriteKubeconfig puts Kubeconfig into a file that only the owner can read. The
// file is there completely or not at all.
func (h *Hub) WriteKubeconfig(path string, contexts ...Context) error {
	content, err := h.Kubeconfig(contexts...)
	if err != nil {
		return err
	}
	// CreateTemp makes the file 0600.
	fresh, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	_, err = fresh.Write(content)
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", errors.Join(err, os.Remove(fresh.Name())))
	}
	return nil
}
