package watch

import (
	"io"
	"log/slog"

	"k8s.io/klog/v2"
)

// Quiet sends what client-go logs to w, or nowhere when w is nil, in place of
// stderr, which belongs to the screen. It is for the whole process: main calls
// it once, before Open. client-go logs no bodies and no tokens at the level it
// has here.
func Quiet(w io.Writer) {
	handler := slog.DiscardHandler
	if w != nil {
		handler = slog.NewTextHandler(w, nil)
	}
	klog.SetSlogLogger(slog.New(handler))
}
