package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// LogRange is which lines of a log are read.
type LogRange struct {
	// Follow is set to read the lines that are written from now on, too.
	Follow bool
	// Tail is how many of the lines that there are; a negative one means all.
	Tail int
	// Since limits them to those of the time before now; zero for all.
	Since time.Duration
	// From limits them to those from a second on; zero for all.
	From time.Time
	// Stamped is set to have the time of each line in front of it, which CutStamp cuts off.
	Stamped bool
}

// CutStamp cuts a line of a log into the time when it was written and the rest; the time is zero for a
// line without one.
func CutStamp(line string) (at time.Time, rest string) {
	stamp, rest, _ := strings.Cut(line, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return time.Time{}, line
	}
	return at, rest
}

// longestLine is how much of a line of a log is kept.
const longestLine = 64 << 10

// Log hands each line of the log of a container to line as it comes, until the log ends. The rest of a line that is too long is left out.
func (h *Client) Log(ctx context.Context, namespace, pod string, params map[string]string, of LogRange, line func(string)) error {
	r := h.Request(http.MethodGet).AbsPath("/api/v1").Namespace(namespace).Resource("pods").Name(pod).SubResource("log").MaxRetries(0)
	for name, value := range params {
		if value != "" {
			r = r.Param(name, value)
		}
	}
	if of.Follow {
		r = r.Param("follow", "true")
	}
	if of.Tail >= 0 {
		r = r.Param("tailLines", strconv.Itoa(of.Tail))
	}
	if of.Since > 0 {
		r = r.Param("sinceSeconds", strconv.Itoa(int(math.Ceil(of.Since.Seconds()))))
	}
	if !of.From.IsZero() {
		r = r.Param("sinceTime", of.From.UTC().Format(time.RFC3339))
	}
	if of.Stamped {
		r = r.Param("timestamps", "true")
	}
	body, err := h.Stream(ctx, r, Limits{Head: Deadline})
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // all of it was read, or nothing more is
	for lines := bufio.NewReaderSize(body, longestLine); ; {
		raw, err := lines.ReadSlice('\n')
		text, rest := string(raw), err
		for errors.Is(rest, bufio.ErrBufferFull) {
			_, rest = lines.ReadSlice('\n')
		}
		if text != "" {
			line(strings.TrimRight(text, "\r\n"))
		}
		switch {
		case errors.Is(rest, io.EOF):
			return nil
		case rest != nil:
			return fmt.Errorf("read log: %w", rest)
		}
	}
}
