package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
	"github.com/stagewatch/stagewatch/watch"
)

// hubsLimit is how many contexts the list of hubs holds and names.
const hubsLimit = 20

func hubsFile() string {
	if dir := stateDir(); dir != "" {
		return filepath.Join(dir, "hubs.json")
	}
	return ""
}

// knownHubs are the contexts that served KubeFleet's hub API before, the last one
// first. A file that cannot be read names none: the list is only advice.
func knownHubs() []string {
	var hubs []string
	if raw, err := os.ReadFile(hubsFile()); err == nil && json.Unmarshal(raw, &hubs) != nil {
		return nil
	}
	return hubs
}

// rememberHub puts a context at the head of the list. A list that cannot be
// written stays as it was.
func rememberHub(name string) error {
	path, hubs := hubsFile(), knownHubs()
	if path == "" || name == "" || len(hubs) > 0 && hubs[0] == name {
		return nil
	}
	hubs = append([]string{name}, slices.DeleteFunc(hubs, func(h string) bool { return h == name })...)
	raw, err := json.Marshal(hubs[:min(len(hubs), hubsLimit)])
	if err != nil {
		return fmt.Errorf("encode list of hubs: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write list of hubs: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "hubs-*.tmp")
	if err != nil {
		return fmt.Errorf("write list of hubs: %w", err)
	}
	_, err = tmp.Write(append(raw, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write list of hubs: %w", errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// likelyHubs are the other contexts of the kubeconfig that look like hubs: those
// that were one before, then those called so. None of them is contacted.
func (j *job) likelyHubs() []engine.Text {
	_, raw, err := memberContexts{j}.kubeconfig()
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(raw.Contexts))
	for n := range raw.Contexts {
		names = append(names, n)
	}
	return hubsAmong(names, knownHubs(), j.conn.context)
}

func hubsAmong(names, known []string, current string) []engine.Text {
	var out []engine.Text
	add := func(n string) {
		if x := engine.Clean(n); n != current && len(out) < hubsLimit && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	for _, n := range known {
		if slices.Contains(names, n) {
			add(n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if s := strings.ToLower(n); strings.Contains(s, "hub") || strings.Contains(s, "fleet") {
			add(n)
		}
	}
	return out
}

// noHub says that a cluster has no hub API, and how to switch.
func (j *job) noHub() (what, hint engine.Text) {
	what = engine.Textf("context %s: this cluster has no KubeFleet hub API", engine.Clean(j.conn.context))
	hint = engine.Lit("is this a hub? switch with --context NAME")
	if hubs := j.likelyHubs(); len(hubs) > 0 {
		hint = engine.Textf("switch with --context NAME; contexts that look like hubs: %s", engine.Enumerate(hubs, 5))
	}
	return what, hint
}

// rememberer notes the context of a session once its hub served a kind of run.
type rememberer struct {
	ui.Source
	context string
	// log gets the error when the context cannot be noted.
	log  io.Writer
	once sync.Once
}

// Next is that of the session.
func (r *rememberer) Next(ctx context.Context) (*engine.Snapshot, error) {
	s, err := r.Source.Next(ctx)
	if err == nil && servesRuns(s) {
		r.once.Do(func() {
			if err := rememberHub(r.context); err != nil {
				say(r.log, "%v\n", err)
			}
		})
	}
	return s, err
}

func servesRuns(s *engine.Snapshot) bool {
	return slices.ContainsFunc(s.Scope.Runs, func(r engine.RunSet) bool { return r.State == engine.CoverComplete })
}

var _ ui.Source = (*watch.Session)(nil)
