package rollout

import (
	"errors"
)

// Prefixes of the messages of upstream's errors.
const (
	PrefixAborted    = "cannot continue the updateRun"
	PrefixValidate   = PrefixAborted + ": failed to validate the updateRun"
	PrefixUser       = "failed to process the request due to a client error"
	PrefixUnexpected = "unexpected behavior which cannot be handled by the controller"
	PrefixServer     = "error returned by the API server"
	PrefixExpected   = "expected behavior which can be recovered by itself"
)

// ErrRead is the error of a read that failed.
var ErrRead = errors.New("cache is cold")
