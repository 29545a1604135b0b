package tty

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFinishIsReadLast checks that a terminal that accepted nothing reads what restores it,
// after it: neither the frame that was under way nor one that follows comes later.
func TestFinishIsReadLast(t *testing.T) {
	reader, terminal := pseudoterminal(t)
	o := newOutput(terminal)
	blocked := make(chan error, 1)
	go func() {
		frame := []byte(strings.Repeat("x", 1<<20))
		_, err := o.Write(frame)
		blocked <- err
	}()
	// It is full when not one byte more is accepted.
	one := ownDescription(terminal)
	defer one.Close()
	for err := error(nil); err == nil; {
		one.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		_, err = one.WriteString("x")
	}
	o.finish(restoreModes, time.Minute)
	if _, err := o.Write([]byte("another frame")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	var all strings.Builder
	buf := make([]byte, 4<<10)
	for reader.SetReadDeadline(time.Now().Add(time.Minute)); !strings.HasSuffix(all.String(), restoreModes); {
		n, err := reader.Read(buf)
		if err != nil {
			t.Fatalf("read %d bytes, then %v; the last are %q", all.Len(), err, all.String()[max(0, all.Len()-200):])
		}
		all.Write(buf[:n])
	}
	if err := <-blocked; !errors.Is(err, os.ErrClosed) {
		t.Errorf("the frame that was under way: %v", err)
	}
	reader.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := reader.Read(buf); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q follows, %v", buf[:n], err)
	}
}

// pseudoterminal returns both ends of one, the end of programs in raw mode.
func pseudoterminal(t *testing.T) (reader, terminal *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	reader = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { reader.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	modes, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	return reader, terminal
}
