package member

import (
	"errors"
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Contexts finds the kubeconfig contexts of members. It makes no request.
type Contexts interface {
	// Find returns the context of a member: the chosen one when there is a
	// choice, else the one that is remembered, configured, or named like the
	// member. The Text says why there is none.
	Find(member string, chosen engine.Text) (Context, engine.Text)
	// Names are the contexts that can be chosen for a member, the likeliest first.
	Names(member string) []engine.Text
	// Remember keeps a context that a person chose for a member.
	Remember(member, context string) error
	// Forget removes what Remember has kept for a member and returns it, empty if
	// nothing was kept.
	Forget(member string) (context string, err error)
}

// Context is the kubeconfig context chosen for a member cluster. Config
// is nil if there is none.
type Context struct {
	Name   string
	Config *rest.Config
	// Agreed is set when a person chose the context or the configuration names
	// it; otherwise it is only named like the member.
	Agreed bool
}

// errReadOnly is what anything but a GET gets from a member's client.
var errReadOnly = errors.New("members are only read")

// getsOnly is the transport of members: no other verb leaves the program.
type getsOnly struct {
	next http.RoundTripper
	// unauthorized is set by an answer 401 and by a login that fails.
	unauthorized *atomic.Bool
}

func (g getsOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return nil, errReadOnly
	}
	answer, err := g.next.RoundTrip(r)
	if client.KindOf(err) == client.Unauthenticated || err == nil && answer.StatusCode == http.StatusUnauthorized {
		g.unauthorized.Store(true)
	}
	return answer, err
}

// WrappedRoundTripper lets client-go see the transport within.
func (g getsOnly) WrappedRoundTripper() http.RoundTripper { return g.next }

// Client is the client of a member, which only reads.
type Client struct {
	*client.Client
	unauthorized atomic.Bool
	credential   string // the token and the certificate that it sends
}

// credentialOf is a credential as one value, to compare it.
func credentialOf(token string, cert []byte) string { return token + "\n" + string(cert) }

// Unauthorized reports whether the login failed or the member refused the credential (401).
func (h *Client) Unauthorized() bool { return h.unauthorized.Load() }

// Connect returns a Client of a member. It sends nothing.
func Connect(config *rest.Config) (*Client, error) {
	h := new(Client)
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return getsOnly{next, &h.unauthorized} })
	c, err := client.New(engine.HubName{}, config)
	if err != nil {
		return nil, err
	}
	h.Client, h.credential = c, credentialOf(config.BearerToken, config.CertData)
	return h, nil
}
