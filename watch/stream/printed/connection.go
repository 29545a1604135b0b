package printed

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// NearWithin is the longest time to connect to a hub that counts as near. From any other hub the
	// rows are read first: on a slow line they would wait behind a large list.
	NearWithin = 6 * time.Millisecond
	// rowsAfter is how long after connecting to a near hub the rows are requested if the first sets
	// are still loading: printing them takes a small hub as long as the list.
	rowsAfter = 10 * time.Millisecond
)

// Connection knows whether the hub is near, once the first request has a connection.
type Connection struct{ near atomic.Bool }

// IsNear reports whether connecting took less than NearWithin.
func (c *Connection) IsNear() bool { return c.near.Load() }

// Begin returns a context for the first request. start is called once there is a connection;
// for a near hub, rowsAfter later.
func (c *Connection) Begin(ctx context.Context, start func()) context.Context {
	var began time.Time
	once := sync.Once{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { began = time.Now() },
		GotConn: func(got httptrace.GotConnInfo) {
			once.Do(func() {
				if c.near.Store(!got.Reused && time.Since(began) < NearWithin); c.near.Load() {
					time.AfterFunc(rowsAfter, start)
					return
				}
				start()
			})
		},
	})
}
