package hub

import (
	"fmt"
	"net"
	"sync"
)

// checkLoopback refuses an address that other machines could reach.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("read listen address: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("listen on %s: not a loopback address", address)
	}
	return nil
}

// brittleListener is a listener whose connections can be frozen, so that peers
// see open connections on which nothing moves, or cut.
type brittleListener struct {
	net.Listener

	mu    sync.Mutex
	open  chan struct{} // closed while traffic flows; replaced by Freeze
	conns map[*brittleConn]struct{}
}

func newBrittleListener(inner net.Listener) *brittleListener {
	open := make(chan struct{})
	close(open)
	return &brittleListener{Listener: inner, open: open, conns: map[*brittleConn]struct{}{}}
}

func (l *brittleListener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &brittleConn{Conn: inner, listener: l, closed: make(chan struct{})}
	l.mu.Lock()
	l.conns[c] = struct{}{}
	l.mu.Unlock()
	return c, nil
}

func (l *brittleListener) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
		l.open = make(chan struct{})
	default: // frozen already
	}
}

func (l *brittleListener) thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
	default:
		close(l.open)
	}
}

func (l *brittleListener) cut() {
	l.mu.Lock()
	conns := make([]*brittleConn, 0, len(l.conns))
	for c := range l.conns {
		conns = append(conns, c)
	}
	l.mu.Unlock()
	for _, c := range conns {
		// An error means that the peer was faster.
		if err := c.Close(); err != nil {
			continue
		}
	}
}

func (l *brittleListener) gate() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

type brittleConn struct {
	net.Conn
	listener *brittleListener
	once     sync.Once
	closed   chan struct{}
}

func (c *brittleConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if waitErr := c.wait(); waitErr != nil {
		return 0, waitErr
	}
	return n, err
}

func (c *brittleConn) Write(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *brittleConn) wait() error {
	select {
	case <-c.listener.gate():
		return nil
	case <-c.closed:
		return net.ErrClosed
	}
}

func (c *brittleConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.listener.mu.Lock()
		delete(c.listener.conns, c)
		c.listener.mu.Unlock()
	})
	return c.Conn.Close()
}

// Freeze lets no byte in or out any more on the connections of clients, open
// and new ones, without closing them. The hub's own traffic goes on. It does
// nothing while the API is down.
func (h *Hub) Freeze() {
	if api := h.running(); api != nil {
		api.listener.freeze()
	}
}

// Thaw ends Freeze; what was held back is delivered.
func (h *Hub) Thaw() {
	if api := h.running(); api != nil {
		api.listener.thaw()
	}
}

// CutConnections closes every connection that clients have open. New ones are
// accepted as before.
func (h *Hub) CutConnections() {
	if api := h.running(); api != nil {
		api.listener.cut()
	}
}
