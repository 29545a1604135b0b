package client

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connections are the open connections of a session, so that dead ones can be
// cut: a peer that vanished is otherwise noticed after minutes, because HTTP/2
// multiplexes every new request onto the dead connection.
type connections struct {
	dialer func(ctx context.Context, network, address string) (net.Conn, error)

	received atomic.Int64
	refused  atomic.Int64 // when a connection failed last, in nanoseconds; zero for never
	pause    readPause

	mu   sync.Mutex
	open map[*connection]struct{}
}

func newConnections(dialer func(ctx context.Context, network, address string) (net.Conn, error)) *connections {
	if dialer == nil {
		dialer = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext
	}
	return &connections{dialer: dialer, open: map[*connection]struct{}{}}
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dialer(ctx, network, address)
	if err != nil {
		if ctx.Err() == nil {
			c.refused.Store(time.Now().UnixNano())
		}
		return nil, err
	}
	tracked := &connection{Conn: conn, all: c, closed: make(chan struct{})}
	c.mu.Lock()
	c.open[tracked] = struct{}{}
	c.mu.Unlock()
	return tracked, nil
}

// cut closes every open connection.
func (c *connections) cut() {
	c.mu.Lock()
	open := c.open
	c.open = map[*connection]struct{}{}
	c.mu.Unlock()
	for conn := range open {
		// Closing is all that is wanted; a TLS goodbye to a dead peer may fail.
		if err := conn.end(); err != nil {
			continue
		}
	}
}

// connection counts what it receives, and takes itself off the list when it is closed.
type connection struct {
	net.Conn
	all    *connections
	closed chan struct{}
	once   sync.Once // closes closed

	// Only the reader uses these: the end of the last pause, and the bytes received since.
	lastPause *time.Time
	received  int64
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.end()
}

// end closes the connection, and ends its pause.
func (c *connection) end() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	c.pause()
	n, err := c.Conn.Read(p)
	c.received += int64(n)
	c.all.received.Add(int64(n))
	return n, err
}

// startsFor is how long an API server may take from its first answers until it knows its roles and
// CRDs: meanwhile it refuses what it will give.
const startsFor = 15 * time.Second

// MayBeStarting reports whether a connection to the hub failed recently: it may not yet know its
// roles and CRDs.
func (h *Client) MayBeStarting() bool { return time.Since(h.RefusedAt()) < startsFor }

// RefusedAt is when a connection to the hub failed last; 1970 if none did.
func (h *Client) RefusedAt() time.Time { return time.Unix(0, h.conns.refused.Load()) }

// Received returns how many bytes have come from the hub, encrypted and compressed.
func (h *Client) Received() int64 { return h.conns.received.Load() }
