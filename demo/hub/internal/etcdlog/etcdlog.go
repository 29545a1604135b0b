// Package etcdlog keeps the loggers of etcd's client off stderr.
//
// The API server creates such a logger while its packages are initialized, from
// this default configuration, and does not export it. Packages are initialized in
// the order of their import paths, as far as their imports permit; this package
// imports almost nothing, so it is initialized before the API server's.
package etcdlog

import "go.etcd.io/etcd/client/pkg/v3/logutil"

func init() {
	logutil.DefaultZapLoggerConfig.OutputPaths = nil
	logutil.DefaultZapLoggerConfig.ErrorOutputPaths = nil
}
