package contexts

import (
	"net/url"

	"k8s.io/client-go/tools/clientcmd"
)

// KubectlFlags are the connection flags that a kubectl command needs to reach
// the same hub as the same user, beside --kubeconfig, --context and
// --namespace. Tokens and passwords are credentials: who copies the command adds
// them.
func KubectlFlags(o *clientcmd.ConfigOverrides) []string {
	var words []string
	add := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag, value)
		}
	}
	add(clientcmd.FlagClusterName, o.Context.Cluster)
	add(clientcmd.FlagAuthInfoName, o.Context.AuthInfo)
	add(clientcmd.FlagAPIServer, withoutUser(o.ClusterInfo.Server))
	add(clientcmd.FlagTLSServerName, o.ClusterInfo.TLSServerName)
	add(clientcmd.FlagCAFile, o.ClusterInfo.CertificateAuthority)
	if o.ClusterInfo.InsecureSkipTLSVerify {
		words = append(words, "--"+clientcmd.FlagInsecure)
	}
	add(clientcmd.FlagCertFile, o.AuthInfo.ClientCertificate)
	add(clientcmd.FlagKeyFile, o.AuthInfo.ClientKey)
	add(clientcmd.FlagImpersonate, o.AuthInfo.Impersonate)
	add(clientcmd.FlagImpersonateUID, o.AuthInfo.ImpersonateUID)
	for _, g := range o.AuthInfo.ImpersonateGroups {
		add(clientcmd.FlagImpersonateGroup, g)
	}
	return words
}

// withoutUser takes a user and password out of a URL; what is no URL is left
// out whole.
func withoutUser(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	if u.User == nil {
		return server
	}
	u.User = nil
	return u.String()
}
