package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processCPU is the CPU time of all threads of a process so far; 0 is this process.
func processCPU(pid int) (time.Duration, error) {
	// A clock of the kernel for each process: all but the lowest three bits are the
	// complement of its ID, and 2 stands for the time that was scheduled.
	clock := int32(^pid<<3 | 2)
	if pid == 0 {
		clock = unix.CLOCK_PROCESS_CPUTIME_ID
	}
	var at unix.Timespec
	if err := unix.ClockGettime(clock, &at); err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return time.Duration(at.Nano()), nil
}

// processMemory returns the resident memory of a process, now and at its highest, in MiB.
func processMemory(pid int) (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read memory: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "VmRSS:" && fields[0] != "VmHWM:" {
			continue
		}
		kib, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read memory: %w", err)
		}
		if fields[0] == "VmRSS:" {
			now = kib / 1024
		} else {
			peak = kib / 1024
		}
	}
	return now, peak, nil
}

// freeze stops a process, and thaw continues it.
func freeze(p *os.Process) error { return p.Signal(unix.SIGSTOP) }
func thaw(p *os.Process) error   { return p.Signal(unix.SIGCONT) }
