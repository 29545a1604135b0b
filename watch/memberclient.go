package watch

import (
	"errors"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// MemberContexts finds the kubeconfig contexts of members. It makes no request.
type MemberContexts interface {
	// Find returns the context of a member: the chosen one when there is a
	// choice, else the one that is remembered, configured, or named like the
	// member. The Text says why there is none.
	Find(member string, chosen engine.Text) (MemberContext, engine.Text)
	// Names are the contexts that can be chosen for a member, the likeliest first.
	Names(member string) []engine.Text
	// Remember keeps a context that a person chose for a member.
	Remember(member, context string) error
	// Forget removes what Remember has kept for a member.
	Forget(member string) error
}

// MemberContext is the kubeconfig context chosen for a member cluster. Config
// is nil if there is none.
type MemberContext struct {
	Name   string
	Config *rest.Config
	// Agreed is set when a person chose the context or the configuration names
	// it; otherwise it is only named like the member.
	Agreed bool
}

// errMemberReadOnly is what anything but a GET gets from a member's client.
var errMemberReadOnly = errors.New("members are only read")

// getsOnly is the transport of members: no other verb leaves the program.
type getsOnly struct{ next http.RoundTripper }

func (g getsOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return nil, errMemberReadOnly
	}
	return g.next.RoundTrip(r)
}

// memberClient is the client of a member, which only reads.
type memberClient struct{ *client }

func newMemberClient(config *rest.Config) (*memberClient, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return getsOnly{next} })
	c, err := newClient(config)
	if err != nil {
		return nil, err
	}
	return &memberClient{c}, nil
}
