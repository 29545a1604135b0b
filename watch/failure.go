package watch

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
)

// failureKind sorts errors by what follows from them.
type failureKind uint8

const (
	failNone            failureKind = iota
	failUnreachable                 // no answer: network, TLS, deadline
	failUnauthenticated             // 401, or the login program failed
	failForbidden                   // 403
	failNotFound                    // 404: the object, or the kind in a list
	failExpired                     // 410: list again, nothing is wrong
	failBusy                        // 429
	failServer                      // 5xx
	failRefused                     // another 4xx
	failBroken                      // an answer that cannot be read
)

// failure is an error of a request, sorted, in words.
type failure struct {
	kind failureKind
	err  engine.Text
	hint engine.Text
}

// failure sorts an error of a request.
func (h *client) failure(err error) failure {
	if err == nil {
		return failure{}
	}
	f := failure{kind: kindOf(err), err: engine.Clean(plainError(err))}
	switch f.kind {
	case failUnreachable:
		f.hint = unreachableHint(err, h.server)
	case failUnauthenticated:
		f.hint = engine.Lit("unauthorized: log in again (kubectl auth whoami shows the user)")
		if errors.Is(err, errLoginHangs) {
			f.hint = engine.Lit("it may wait for you elsewhere (a browser); if not, run kubectl auth whoami in another terminal, or end it")
		}
	case failForbidden:
		f.hint = engine.Lit("ask for this permission, or use another context")
	case failNotFound:
		f.hint = engine.Lit("check that this context is a hub with KubeFleet's CRDs")
	case failBusy:
		f.hint = engine.Lit("too many requests; try again later")
	case failServer:
		f.hint = engine.Lit("the hub returned a server error")
	}
	return f
}

func kindOf(err error) failureKind {
	if err == nil {
		return failNone
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		switch {
		case strings.Contains(err.Error(), "getting credentials:"): // client-go's exec plugin, which has no error type
			return failUnauthenticated
		case errors.Is(err, errNoJSON):
			return failBroken
		}
		return failUnreachable
	}
	switch code := status.Status().Code; {
	case apierrors.IsResourceExpired(err), code == http.StatusGone:
		return failExpired
	case code == http.StatusUnauthorized:
		return failUnauthenticated
	case code == http.StatusForbidden:
		return failForbidden
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return failNotFound
	case code == http.StatusTooManyRequests:
		return failBusy
	case code >= 500 || code == 0:
		return failServer
	}
	return failRefused
}

// refusedFor is how long to wait after a refused login. A login program must
// not run in a loop; one that hangs already is only waited for.
func refusedFor(err error) time.Duration {
	if errors.Is(err, errLoginHangs) {
		return retryCap
	}
	return refusedPause
}

// plainError is the text of an error without what repeats on every one: method
// and URL, which can also carry what belongs on no screen.
func plainError(err error) string {
	if errors.Is(err, errLoginHangs) {
		return "the credential plugin of the kubeconfig does not answer"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		return "no answer in time" // a connection that this side closed was silent for too long
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the hub closed the connection"
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Addr != nil {
		if errors.Is(err, syscall.ECONNREFUSED) {
			return "connection refused by " + op.Addr.String()
		}
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return statusText(status.Status())
	}
	return err.Error()
}

func statusText(s metav1.Status) string {
	if s.Message != "" {
		return s.Message
	}
	if s.Reason != "" {
		return string(s.Reason)
	}
	return http.StatusText(int(s.Code))
}

func unreachableHint(err error, server string) engine.Text {
	var (
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	at := engine.Clean(server)
	switch {
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return engine.Textf("the certificate of %s is not trusted: check certificate-authority in the kubeconfig", at)
	case errors.As(err, &dns):
		return engine.Textf("the host name in %s cannot be resolved: check the network, VPN or kubeconfig", at)
	case errors.Is(err, syscall.ECONNREFUSED):
		return engine.Textf("connection to %s refused: check the context, and that the hub is up", at)
	}
	return engine.Textf("check the network or VPN to %s", at)
}

// next is the hint with what comes next: a screen goes on trying, a command
// without one has to be run again.
func (f failure) next(retries bool) engine.Text {
	switch f.kind {
	case failUnauthenticated, failServer, failUnreachable:
		if f.hint.IsZero() {
			return f.hint
		}
		if retries {
			return engine.Textf("%s; stagewatch retries automatically", f.hint)
		}
		return engine.Textf("%s, then run the command again", f.hint)
	}
	return f.hint
}
