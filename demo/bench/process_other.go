//go:build !linux

package bench

import (
	"errors"
	"os"
	"time"
)

// errPlatform is the end of a measurement where a process cannot be measured from outside.
var errPlatform = errors.New("bench reads /proc and needs Linux")

func processCPU(int) (time.Duration, error)            { return 0, errPlatform }
func processMemory(int) (now, peak float64, err error) { return 0, 0, errPlatform }
func freeze(*os.Process) error                         { return errPlatform }
func thaw(*os.Process) error                           { return errPlatform }
