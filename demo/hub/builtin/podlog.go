package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

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
	log := s.logs(request.NamespaceValue(ctx), name, o.Container)
	if o.TailLines != nil {
		lines := bytes.SplitAfter(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"))
		log = append(bytes.Join(lines[max(0, len(lines)-int(max(*o.TailLines, 0))):], nil), '\n')
	}
	if o.LimitBytes != nil && int64(len(log)) > *o.LimitBytes {
		log = log[:max(*o.LimitBytes, 0)]
	}
	return &podLog{text: log}, nil
}

// podLog is a log on its way to the client.
type podLog struct{ text []byte }

var _ rest.ResourceStreamer = (*podLog)(nil)

// GetObjectKind is of no kind: a log is no object.
func (*podLog) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject returns the log itself, which is immutable.
func (l *podLog) DeepCopyObject() runtime.Object { return l }

// InputStream is the text.
func (l *podLog) InputStream(context.Context, string, string) (stream io.ReadCloser, flush bool, contentType string, err error) {
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
		options.Container = values.Get("container")
		for name, into := range map[string]**int64{"tailLines": &options.TailLines, "limitBytes": &options.LimitBytes} {
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
