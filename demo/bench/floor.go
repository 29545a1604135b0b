package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// errBusy is the answer of an API server whose cache is not filled yet.
var errBusy = errors.New("get objects: the API server has no answer yet")

// plain is a client that reads all objects of a resource and does nothing with them.
type plain struct {
	client *http.Client
	url    string
}

// newPlain returns a client without connections.
func newPlain(config *rest.Config, of schema.GroupResource) (*plain, error) {
	config = rest.CopyConfig(config)
	// Each has its own transport, so that connecting is part of what it costs.
	config.Proxy = http.ProxyFromEnvironment
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &plain{client, fmt.Sprintf("%s/apis/%s/%s/%s", config.Host, placement.Group, placement.Version, of.Resource)}, nil
}

func (p *plain) get(ctx context.Context, query string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+query, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	answer, err := p.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("get objects: %w", err)
	}
	if answer.StatusCode == http.StatusTooManyRequests {
		return nil, errors.Join(errBusy, answer.Body.Close())
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("get objects: %s", answer.Status), answer.Body.Close())
	}
	return answer.Body, nil
}

// cost is the time that something took, with the CPU time of this process.
type cost struct{ wall, cpu time.Duration }

// read reads all objects of a resource over a new connection, as a list of a watch: from the
// API server's cache. It returns their length in bytes, decompressed.
func read(ctx context.Context, config *rest.Config, of schema.GroupResource) (_ cost, length int64, err error) {
	began := time.Now()
	before, err := processCPU(0)
	if err != nil {
		return cost{}, 0, err
	}
	p, err := newPlain(config, of)
	if err != nil {
		return cost{}, 0, err
	}
	defer p.client.CloseIdleConnections()
	body, err := p.get(ctx, "?resourceVersion=0")
	if err != nil {
		return cost{}, 0, err
	}
	length, err = io.Copy(io.Discard, body)
	if err = errors.Join(err, body.Close()); err != nil {
		return cost{}, 0, fmt.Errorf("read %s: %w", of.Resource, err)
	}
	after, err := processCPU(0)
	return cost{time.Since(began), after - before}, length, err
}

// arrivals reports when each change of the first run arrives at a program that does nothing with
// it, until ctx ends.
func arrivals(ctx context.Context, config *rest.Config) (<-chan time.Time, error) {
	p, err := newPlain(config, runs)
	if err != nil {
		return nil, err
	}
	body, err := p.get(ctx, "?watch=1&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")
	if err != nil {
		return nil, err
	}
	times := make(chan time.Time, 1<<16)
	go func() {
		defer body.Close() //nolint:errcheck // it was read to its end
		for lines := bufio.NewReaderSize(body, 64<<10); ; {
			line, err := lines.ReadSlice('\n')
			first := bytes.Contains(line, []byte(`"name":"`+runName(0)+`"`)) // it is in the metadata
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = lines.ReadSlice('\n')
			}
			if err != nil {
				return
			}
			if !first {
				continue
			}
			select {
			case times <- time.Now():
			default: // nobody reads them
			}
		}
	}()
	return times, nil
}

// drain takes out what has arrived.
func drain(times <-chan time.Time) {
	for {
		select {
		case <-times:
		default:
			return
		}
	}
}
