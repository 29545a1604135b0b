package drive_test

import (
	"errors"
)

const (
	a = "cannot continue the updateRun"
	v = a + ": failed to validate the updateRun"
	u = "failed to process the request due to a client error"
	x = "unexpected behavior which cannot be handled by the controller"
	s = "error returned by the API server"
	e = "expected behavior which can be recovered by itself"
)

var errRead = errors.New("cache is cold")
