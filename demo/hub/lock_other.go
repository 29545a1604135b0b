//go:build !unix

package hub

import (
	"errors"
	"os"
)

// tryLock says that this system has no lock that ends with its process: the hub
// does not run there.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
