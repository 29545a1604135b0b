// Package etcdlog keeps the loggers of etcd's client off stderr.
//
// The API server makes such a logger while its packages are initialised, from
// this default configuration, and offers no way to reach it later. Packages are
// initialised in the order of their import paths, as far as their imports allow
// it, and this one imports next to nothing: it comes before the API server's.
package etcdlog

import "go.etcd.io/etcd/client/pkg/v3/logutil"

func init() {
	logutil.DefaultZapLoggerConfig.OutputPaths = nil
	logutil.DefaultZapLoggerConfig.ErrorOutputPaths = nil
}
