package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// A slow line: 2 Mbit/s each way, and 150 ms there and back.
	slowBytes = 2_000_000 / 8 // in a second
	slowDelay = 75 * time.Millisecond
	// parcel is the bytes per read, queued the parcels that may wait.
	parcel, queued = 4 << 10, 4
)

// slowLine is a TCP proxy to a hub with limited bandwidth and delay.
type slowLine struct {
	listener net.Listener
	hub      string
	up, down lane
	serving  sync.WaitGroup
}

// lane is one direction of a line, which all connections share.
type lane struct {
	mu   sync.Mutex
	free time.Time // when all that was sent has left
}

// send returns when n bytes that are sent now arrive.
func (l *lane) send(n int, now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(n) * time.Second / slowBytes)
	return l.free.Add(slowDelay)
}

// startLine starts a line to a hub.
func startLine(hub string) (*slowLine, error) {
	to, err := url.Parse(hub)
	if err != nil {
		return nil, fmt.Errorf("read address of the hub: %w", err)
	}
	l := &slowLine{hub: to.Host}
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("start slow line: %w", err)
	}
	l.serving.Go(func() {
		for {
			near, err := l.listener.Accept()
			if err != nil {
				return
			}
			l.serving.Go(func() { l.pass(near) })
		}
	})
	return l, nil
}

// pass carries a connection until one of its sides ends it.
func (l *slowLine) pass(near net.Conn) {
	defer near.Close()                 //nolint:errcheck // all was sent, or nobody wants it
	far, err := net.Dial("tcp", l.hub) // there is room on the way, as in a VPN or a proxy
	if err != nil {
		return
	}
	defer far.Close() //nolint:errcheck // the same
	both := make(chan struct{}, 2)
	for _, way := range []struct {
		to, from net.Conn
		lane     *lane
	}{{far, near, &l.up}, {near, far, &l.down}} {
		go func() {
			way.lane.carry(way.to, way.from)
			both <- struct{}{}
		}()
	}
	<-both
}

// carry copies bytes from one side to the other, delayed.
func (l *lane) carry(to, from net.Conn) {
	type part struct {
		bytes []byte
		due   time.Time
	}
	parts := make(chan part, queued)
	go func() {
		defer close(parts)
		for {
			p := part{bytes: make([]byte, parcel)}
			n, err := from.Read(p.bytes)
			if err != nil {
				return
			}
			p.bytes, p.due = p.bytes[:n], l.send(n, time.Now())
			parts <- p
		}
	}()
	broken := false
	for p := range parts { // to the end: what reads must not wait
		time.Sleep(time.Until(p.due))
		if !broken {
			_, err := to.Write(p.bytes)
			broken = err != nil
		}
		if broken {
			from.Close() //nolint:errcheck,gosec // it ends the reading
		}
	}
}

// end stops the proxy. Close its connections first.
func (l *slowLine) end() error {
	err := l.listener.Close()
	l.serving.Wait()
	return err
}

// through returns h, reached through the line.
func (l *slowLine) through(h *hubProcess) (*hubProcess, error) {
	kubeconfig, err := os.ReadFile(h.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	slow := *h
	slow.kubeconfig = filepath.Join(h.dir, "slow-kubeconfig")
	own := strings.ReplaceAll(string(kubeconfig), l.hub, l.listener.Addr().String())
	if err := os.WriteFile(slow.kubeconfig, []byte(own), 0o600); err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	slow.config = rest.CopyConfig(h.config)
	slow.config.Host = "https://" + l.listener.Addr().String()
	return &slow, nil
}

// slow measures the start of the program over a slow line, beside a plain GET of the runs over
// the same. On the usual hub the runs have texts that cannot be compressed: they are most of what
// is read there.
func (b *bench) slow(ctx context.Context) (err error) {
	if b.size != usual && b.size != large && b.size != history {
		return nil
	}
	content := ""
	if b.size == usual {
		content = incompressible
	}
	if err := b.rewrite(content); err != nil {
		return err
	}
	l, err := startLine(b.hub.config.Host)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.end(), b.rewrite("")) }()
	far, err := l.through(b.hub)
	if err != nil {
		return err
	}
	var rows, all, floor samples
	for range b.Times {
		get, _, err := read(ctx, far.config, runs)
		if err != nil {
			return err
		}
		floor = append(floor, milliseconds(get.wall))
		s, err := startScreen(ctx, b.Options, far)
		if err != nil {
			return err
		}
		first, err := s.expect(contains("bench-"))(ctx)
		if err != nil {
			return errors.Join(err, s.end())
		}
		last, err := s.expect(isLive)(ctx)
		if err := errors.Join(err, s.end()); err != nil {
			return err
		}
		rows, all = append(rows, milliseconds(first.Sub(s.began))), append(all, milliseconds(last.Sub(s.began)))
	}
	const of = "GET of the runs over the same line"
	return b.report(rows.figure(slowRows, unitTime).over(floor, of), all.figure(slowLive, unitTime).over(floor, of))
}

// rewrite writes all runs that have not finished, with long texts of a content.
func (b *bench) rewrite(content string) error {
	const fast = 100
	active := time.Duration(b.size.Runs - b.size.Finished)
	_, err := b.hub.do(order{Storm: &storm{Rate: fast, For: active * time.Second / fast, Content: content}})
	return err
}
