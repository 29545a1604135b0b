package client

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

// FailureKind sorts errors by what follows from them.
type FailureKind uint8

// The kinds of failures.
const (
	NoFailure       FailureKind = iota // no error
	Unreachable                        // no answer: network, TLS, deadline
	Unauthenticated                    // 401, or the login program failed
	Forbidden                          // 403
	Missing                            // 404 that names the object: it does not exist
	NotServed                          // any other 404 and 405: the server does not know the path, or a proxy answered
	Expired                            // 410: list again, nothing is wrong
	Busy                               // 429
	ServerError                        // 5xx
	Rejected                           // another 4xx
	Unreadable                         // an answer that cannot be read
)

// Failure is an error of a request, sorted, in words.
type Failure struct {
	Kind FailureKind
	Err  engine.Text
	Hint engine.Text
	// Absent is set when nothing listens at the address of the hub, or its name does not exist.
	Absent bool
	// Late is set when one list was not answered before its deadline: other requests may be.
	Late bool
	// Others is set when other requests are known to be answered.
	Others bool
}

// Failure sorts an error of a request.
func (h *Client) Failure(err error) Failure {
	if err == nil {
		return Failure{}
	}
	f := Failure{Kind: KindOf(err), Err: engine.Message(Message(err))}
	switch f.Kind {
	case Unreachable:
		f.Hint = unreachableHint(err, h.server)
		dns := (*net.DNSError)(nil)
		f.Absent = errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dns) && dns.IsNotFound
	case Unauthenticated:
		f.Hint = engine.Lit("unauthorized: log in again (kubectl auth whoami shows the user)")
		if errors.Is(err, ErrLoginHangs) {
			f.Hint = engine.Lit("it may be waiting for you in a browser; if not, run kubectl auth whoami in another terminal, or end the plugin")
		}
	case Forbidden:
		f.Hint = engine.Lit("ask for this permission, or use another context")
	case NotServed:
		f.Hint = engine.Lit("check that this context is a hub with KubeFleet's CRDs")
	case Busy:
		f.Hint = engine.Lit("too many requests; try again later")
	case ServerError:
		f.Hint = engine.Lit("the API server returned an error")
	}
	return f
}

// KindOf sorts an error of a request.
func KindOf(err error) FailureKind {
	if err == nil {
		return NoFailure
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		switch {
		case strings.Contains(err.Error(), "getting credentials:"): // client-go's exec plugin, which has no error type
			return Unauthenticated
		case errors.Is(err, ErrNotJSON), errors.As(err, new(*SizeError)):
			return Unreadable
		}
		return Unreachable
	}
	switch code := status.Status().Code; {
	case apierrors.IsResourceExpired(err), code == http.StatusGone:
		return Expired
	case code == http.StatusUnauthorized:
		return Unauthenticated
	case code == http.StatusForbidden:
		return Forbidden
	case code == http.StatusNotFound && namesObject(err, status.Status()):
		return Missing
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return NotServed
	case code == http.StatusTooManyRequests:
		return Busy
	case code >= 500 || code == 0:
		return ServerError
	}
	return Rejected
}

// IsAnswer reports whether an API server that works has answered, whatever it said of what was
// requested.
func IsAnswer(kind FailureKind) bool {
	switch kind {
	case NoFailure, Forbidden, Missing, NotServed, Expired, Rejected:
		return true
	}
	return false
}

// IsMissing reports whether an error proves that the object of this name does not exist:
// the API server names it. A 404 that names something else, a namespace or what a proxy
// did not find, proves nothing.
func IsMissing(err error, name string) bool {
	var status apierrors.APIStatus
	return KindOf(err) == Missing && errors.As(err, &status) && status.Status().Details.Name == name
}

// namesObject reports whether a 404 is about one object. The others prove nothing about
// it: a proxy returns them, and an API server that does not know the custom resource yet.
func namesObject(err error, s metav1.Status) bool {
	return !apierrors.IsUnexpectedServerError(err) && s.Details != nil && s.Details.Name != ""
}

// LoginPause is how long to wait after a refused login. A login program must
// not run in a loop; one that hangs already is only waited for.
func LoginPause(err error) time.Duration {
	if errors.Is(err, ErrLoginHangs) {
		return RetryCap
	}
	return MaxPause
}

// Message is the text of an error without what repeats on every one: method
// and URL, which can also carry what belongs on no screen.
func Message(err error) string {
	if errors.Is(err, ErrLoginHangs) {
		return "the credential plugin of the kubeconfig does not answer"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		return "no answer in time" // a connection that this side closed was silent for too long
	}
	if size := (*SizeError)(nil); errors.As(err, &size) {
		return size.Error()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was closed"
	}
	if isHTTP2Lost(err) {
		return "the connection was lost"
	}
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "cannot resolve " + dns.Name + ": " + dns.Err
	case errors.As(err, &op) && op.Addr != nil && errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused by " + op.Addr.String()
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
	var redirect *RedirectError
	at := engine.Clean(server)
	switch {
	case errors.As(err, &redirect):
		return engine.Lit("check the server URL of the context in the kubeconfig")
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return engine.Lit("check certificate-authority of the context in the kubeconfig")
	case errors.As(err, &dns):
		return engine.Lit("check the network, VPN or kubeconfig")
	case errors.Is(err, syscall.ECONNREFUSED):
		return engine.Lit("check the context, and that the API server is up")
	}
	if !isConnection(err) {
		return engine.Text{}
	}
	return engine.Textf("check the network or VPN to %s", at)
}

// isConnection reports whether an error is one of the connection: the network may be
// the cause.
func isConnection(err error) bool {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // every url.Error is a net.Error
	}
	return errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, net.ErrClosed) || isHTTP2Lost(err)
}

// isHTTP2Lost reports whether a request ended because its HTTP/2 connection did: it was
// lost, a write to it failed, or the server asked to leave it. net/http exports no errors
// for this; their texts have this prefix.
func isHTTP2Lost(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if _, answered := err.(apierrors.APIStatus); answered {
			return false // its text is the hub's
		}
		if strings.HasPrefix(err.Error(), "http2: ") {
			return true
		}
	}
	return false
}

// Next is the hint with what comes next: a screen goes on trying, a command
// without one has to be run again.
func (f Failure) Next(retries bool) engine.Text {
	switch f.Kind {
	case Unauthenticated, ServerError, Unreachable:
		if f.Hint.IsZero() {
			return f.Hint
		}
		switch {
		case retries && f.Kind == Unauthenticated:
			return engine.Textf("{command}login retries now; %s; stagewatch retries automatically", f.Hint)
		case retries:
			return engine.Textf("%s; stagewatch retries automatically", f.Hint)
		}
		return engine.Textf("%s, then run the command again", f.Hint)
	}
	return f.Hint
}
