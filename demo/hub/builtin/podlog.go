package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// PodLogs returns the log of a pod's container, one line after the other, each
// with its line feed.
type PodLogs func(namespace, pod, container string) []byte

// podLogStore serves the log subresource of pods.
type podLogStore struct {
	pods rest.Getter
	logs PodLogs
}

var (
	_ rest.GetterWithOptions = podLogStore{}
	_ rest.StorageMetadata   = podLogStore{}
)

func (podLogStore) New() runtime.Object               { return &corev1.Pod{} }
func (podLogStore) Destroy()                          {} // the main resource owns the store
func (podLogStore) ProducesMIMETypes(string) []string { return []string{"text/plain"} }
func (podLogStore) ProducesObject(string) any         { return "" }

// NewGetOptions are the options of a log request; it has no path below it.
func (podLogStore) NewGetOptions() (options runtime.Object, subpath bool, parameter string) {
	return &corev1.PodLogOptions{}, false, ""
}

// Get returns the log of a pod.
func (s podLogStore) Get(ctx context.Context, name string, options runtime.Object) (runtime.Object, error) {
	if _, err := s.pods.Get(ctx, name, &metav1.GetOptions{}); err != nil {
		return nil, err
	}
	o, ok := options.(*corev1.PodLogOptions)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("options %T are not those of a log", options))
	}
	read := func() []byte { return s.logs(request.NamespaceValue(ctx), name, o.Container) }
	log := read()
	followed := &followedLog{ctx: ctx, read: read, last: lastLine(log)}
	if o.SinceSeconds != nil {
		log = since(log, time.Now().Add(-time.Duration(*o.SinceSeconds)*time.Second))
	}
	if o.SinceTime != nil {
		log = since(log, o.SinceTime.Add(-time.Nanosecond))
	}
	if o.TailLines != nil {
		lines := bytes.SplitAfter(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"))
		log = append(bytes.Join(lines[max(0, len(lines)-int(max(*o.TailLines, 0))):], nil), '\n')
	}
	if o.LimitBytes != nil && int64(len(log)) > *o.LimitBytes {
		log = log[:max(*o.LimitBytes, 0)]
	}
	if o.Timestamps {
		followed.at = new(time.Time)
		log = stamped(log, followed.at)
	}
	if !o.Follow {
		followed = nil
	}
	return &podLog{text: log, followed: followed}, nil
}

// since is the end of a log of klog from the first line that was written after a time.
func since(log []byte, after time.Time) []byte {
	for rest := log; len(rest) > 0; {
		if written(rest, after).After(after) {
			return rest
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return nil
}

// written is when a line of klog was written, in the year of a time; zero for another line.
func written(line []byte, year time.Time) time.Time {
	const stamp = "0102 15:04:05.000000"
	if len(line) <= len(stamp) {
		return time.Time{}
	}
	at, err := time.Parse(stamp, string(line[1:1+len(stamp)]))
	if err != nil {
		return time.Time{}
	}
	return at.AddDate(year.UTC().Year(), 0, 0)
}

// stamped is a log with the time of each line in front of it; at is that of the line before, which a
// line of another form has, too.
func stamped(log []byte, at *time.Time) (out []byte) {
	now := time.Now()
	for line := range bytes.Lines(log) {
		if t := written(line, now); !t.IsZero() {
			*at = t
		}
		out = append(append(at.UTC().AppendFormat(out, time.RFC3339Nano), ' '), line...)
	}
	return out
}

// lastLine is the last line of a log, with its line feed.
func lastLine(log []byte) []byte {
	return log[bytes.LastIndexByte(bytes.TrimSuffix(log, []byte("\n")), '\n')+1:]
}

// logPoll is how often a log that is followed is read again.
const logPoll = 100 * time.Millisecond

// followedLog is what comes after a line of a log. Its beginning may be dropped meanwhile.
type followedLog struct {
	ctx           context.Context
	read          func() []byte
	last, pending []byte
	at            *time.Time // that of the last line; nil for a log without times
}

// Read implements io.Reader; it waits for a line.
func (f *followedLog) Read(p []byte) (int, error) {
	for len(f.pending) == 0 {
		select {
		case <-f.ctx.Done():
			return 0, io.EOF
		case <-time.After(logPoll):
		}
		f.pending = f.read()
		if at := bytes.LastIndex(f.pending, f.last); at >= 0 && len(f.last) > 0 {
			f.pending = f.pending[at+len(f.last):]
		}
		if len(f.pending) > 0 {
			f.last = lastLine(f.pending)
		}
		if f.at != nil {
			f.pending = stamped(f.pending, f.at)
		}
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// podLog is a log on its way to the client.
type podLog struct {
	text     []byte
	followed *followedLog // nil for a log that ends
}

var _ rest.ResourceStreamer = (*podLog)(nil)

// GetObjectKind is of no kind: a log is no object.
func (*podLog) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject returns the log itself, which is immutable.
func (l *podLog) DeepCopyObject() runtime.Object { return l }

// InputStream is the text.
func (l *podLog) InputStream(context.Context, string, string) (stream io.ReadCloser, flush bool, contentType string, err error) {
	if l.followed != nil {
		return io.NopCloser(io.MultiReader(bytes.NewReader(l.text), l.followed)), true, "text/plain", nil
	}
	return io.NopCloser(bytes.NewReader(l.text)), false, "text/plain", nil
}

// addLogOptions makes the scheme read the options of a log request from a query.
func addLogOptions(s *runtime.Scheme) error {
	s.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.PodLogOptions{})
	s.AddKnownTypes(schema.GroupVersion{Version: runtime.APIVersionInternal}, &corev1.PodLogOptions{})
	return s.AddConversionFunc((*url.Values)(nil), (*corev1.PodLogOptions)(nil), func(from, to any, _ conversion.Scope) error {
		values, isValues := from.(*url.Values)
		options, isOptions := to.(*corev1.PodLogOptions)
		if !isValues || !isOptions {
			return fmt.Errorf("convert %T to %T", from, to)
		}
		options.Container, options.Follow, options.Timestamps = values.Get("container"), values.Get("follow") == "true", values.Get("timestamps") == "true"
		if text := values.Get("sinceTime"); text != "" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return fmt.Errorf("read sinceTime: %w", err)
			}
			options.SinceTime = &metav1.Time{Time: at}
		}
		for name, into := range map[string]**int64{"tailLines": &options.TailLines, "limitBytes": &options.LimitBytes, "sinceSeconds": &options.SinceSeconds} {
			text := values.Get(name)
			if text == "" || name == "tailLines" && text == "-1" {
				continue
			}
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
			*into = &n
		}
		return nil
	})
}
