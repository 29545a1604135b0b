package pass

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The prefixes of upstream's messages (docs/kubefleet.md#conditions). They nest:
// the text of an error is the text of a condition.
var (
	ErrAborted    = errors.New("cannot continue the updateRun")
	ErrInvalid    = fmt.Errorf("%w: failed to validate the updateRun", ErrAborted)
	ErrUser       = errors.New("failed to process the request due to a client error")
	errUnexpected = errors.New("unexpected behavior which cannot be handled by the controller")
	errServer     = errors.New("error returned by the API server")
	ErrExpected   = errors.New("expected behavior which can be recovered by itself")

	// ErrNil prints as Go prints a missing error, which upstream does for a
	// negative count.
	ErrNil = errors.New("%!w(<nil>)")
)

// AbortedError adds to err the prefix of an error that ends the run.
func AbortedError(err error) error { return fmt.Errorf("%w: %w", ErrAborted, err) }

// InvalidError adds to err the prefix of an error of initialization or validation that ends
// the run.
func InvalidError(err error) error { return fmt.Errorf("%w: %w", ErrInvalid, err) }

// UserError returns an error with upstream's prefix for an error of the user.
func UserError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUser, fmt.Errorf(format, args...))
}

// UnexpectedError returns an error with upstream's prefix for a state that the controller
// cannot handle.
func UnexpectedError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUnexpected, fmt.Errorf(format, args...))
}

// ServerError adds upstream's prefix for an error of the API server to err.
func ServerError(err error) error { return fmt.Errorf("%w: %w", errServer, err) }

// WriteError classifies the error of a write: after a conflict the controller retries.
func WriteError(err error) error {
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w: %w", ErrExpected, err)
	}
	return ServerError(err)
}

// IsAborted reports whether err ends the run: its status becomes final. After any other
// error the controller retries.
func IsAborted(err error) bool { return errors.Is(err, ErrAborted) }
