package pass

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The building blocks of messages (head of the facts). They nest: the text of
// an error is the text that ends up in a condition.
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

// AbortedError is an error that ends the run for good.
func AbortedError(err error) error { return fmt.Errorf("%w: %w", ErrAborted, err) }

// InvalidError is an error of initialization and validation that ends the run for
// good.
func InvalidError(err error) error { return fmt.Errorf("%w: %w", ErrInvalid, err) }

func UserError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUser, fmt.Errorf(format, args...))
}

func UnexpectedError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUnexpected, fmt.Errorf(format, args...))
}

func ServerError(err error) error { return fmt.Errorf("%w: %w", errServer, err) }

// WriteError is the error of a write: a conflict heals by itself.
func WriteError(err error) error {
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w: %w", ErrExpected, err)
	}
	return ServerError(err)
}

func IsAborted(err error) bool { return errors.Is(err, ErrAborted) }
