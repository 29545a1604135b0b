package drive

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The building blocks of messages (head of the facts). They nest: the text of
// an error is the text that ends up in a condition.
var (
	errAborted    = errors.New("cannot continue the updateRun")
	errInvalid    = fmt.Errorf("%w: failed to validate the updateRun", errAborted)
	errUser       = errors.New("failed to process the request due to a client error")
	errUnexpected = errors.New("unexpected behavior which cannot be handled by the controller")
	errServer     = errors.New("error returned by the API server")
	errExpected   = errors.New("expected behavior which can be recovered by itself")

	// errNil prints as Go prints a missing error, which upstream does for a
	// negative count.
	errNil = errors.New("%!w(<nil>)")
)

// aborted is an error that ends the run for good.
func aborted(err error) error { return fmt.Errorf("%w: %w", errAborted, err) }

// invalid is an error of initialization and validation that ends the run for
// good.
func invalid(err error) error { return fmt.Errorf("%w: %w", errInvalid, err) }

func user(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUser, fmt.Errorf(format, args...))
}

func unexpected(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUnexpected, fmt.Errorf(format, args...))
}

func server(err error) error { return fmt.Errorf("%w: %w", errServer, err) }

// writeError is the error of a write: a conflict heals by itself.
func writeError(err error) error {
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w: %w", errExpected, err)
	}
	return server(err)
}

func isAborted(err error) bool { return errors.Is(err, errAborted) }
