package hub

import (
	"io"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	// Also silences, before anything can be called.
	_ "github.com/stagewatch/stagewatch/demo/hub/internal/etcdlog"
)

// Silence stops the loggers that the API server, etcd and client-go share by
// the whole program from writing to stderr, where they would ruin a screen:
// klog (also the traces of handlers that panicked), gRPC, OpenTelemetry, and
// the API's warnings to clients. Call it once, before Start; it cannot be taken
// back.
func Silence() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	klog.SetLogger(logr.Discard())
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	otel.SetLogger(logr.Discard())
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
}
