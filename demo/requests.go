package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// requests writes down what a served hub was asked, so that anybody can see
// what a program sends to it. The hub tells it one request after the other.
type requests struct {
	file *os.File
	err  error // the first that kept a line from being written
}

// request is one line. It has no body: those are nobody's business.
type request struct {
	Time   time.Time `json:"time"`
	User   string    `json:"user"`
	Agent  string    `json:"agent"`
	Verb   string    `json:"verb"`
	URI    string    `json:"uri"`
	DryRun bool      `json:"dryRun,omitempty"`
	Code   int       `json:"code"`
}

func openRequests(path string) (*requests, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open file of requests: %w", err)
	}
	return &requests{file: f}, nil
}

// note writes a line. A hub must not fail for it: close tells what went wrong.
func (r *requests) note(q hub.Request) {
	line, err := json.Marshal(request{Time: q.At.UTC(), User: q.User, Agent: q.Agent, Verb: q.Verb, URI: q.URI, DryRun: q.DryRun, Code: q.Code})
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("write request: %w", err)
	}
}

// close ends it once the hub has ended.
func (r *requests) close() error {
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("close file of requests: %w", err)
	}
	return r.err
}
