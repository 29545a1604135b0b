package apart

import (
	"os/exec"
	"syscall"
)

// createNoWindow is the creation flag of a process without a console (CreateProcess
// of the Windows API).
const createNoWindow = 0x08000000

// Set gives a program no console to ask on. Windows kills it without what it has
// started; WaitDelay ends the wait for those.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNoWindow | syscall.CREATE_NEW_PROCESS_GROUP}
}
