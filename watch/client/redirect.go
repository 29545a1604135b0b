package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects of the same server a request follows.
const maxRedirects = 10

// RedirectError is the error of a request that the server redirects to another
// scheme, host or port: the credentials are only for the server of the kubeconfig.
type RedirectError struct {
	// To is the scheme and host of the target; the rest of its URL may hold a secret.
	To string
}

// Error names the target.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("the server redirects to %s, which stagewatch does not follow", e.To)
}

// address returns the scheme, host and port of a URL in one form.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// checkRedirect is the CheckRedirect of the client.
func checkRedirect(next *http.Request, before []*http.Request) error {
	if address(next.URL) != address(before[0].URL) {
		return &RedirectError{To: (&url.URL{Scheme: next.URL.Scheme, Host: next.URL.Host}).String()}
	}
	if len(before) >= maxRedirects {
		return errors.New("too many redirects")
	}
	return nil
}
