package watch

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// TestAMissingRunEndsTheOpening checks that a session does not open if Config.Missing returns an error, and that it can do
// so as soon as the names of all runs are known: the hub holds the list of the runs.
func TestAMissingRunEndsTheOpening(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.cached(p.make(aRun(t, "", "waits", "own", "Run", "UpdateRunWaiting")))
	held := &reads{holds: true}
	h.SetIntercept(held.intercept("clusterstagedupdateruns"))
	missing := errors.New("missing")
	open := map[string]func(cfg Config) (*Session, error){
		"a live session": func(cfg Config) (*Session, error) {
			s, _, err := OpenLive(t.Context(), cfg, 0)
			return s, err
		},
		"a list": func(cfg Config) (*Session, error) {
			s, _, err := OpenList(t.Context(), cfg, 0, false)
			return s, err
		},
	}
	for what, open := range open {
		inTime(t, h.AdminConfig(), func(config *rest.Config) error {
			s, err := open(Config{REST: config, Missing: func(s *engine.Snapshot) error {
				for _, set := range s.Scope.Runs {
					if set.ID.Kind() == engine.KindClusterStagedUpdateRun && set.Named && set.State == engine.CoverLoading && len(s.Runs) == 1 {
						return missing
					}
				}
				return nil
			}})
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, missing) {
				return fmt.Errorf("%s: %w", what, err)
			}
			return nil
		})
	}
	began := time.Now()
	_, _, err := OpenLive(t.Context(), Config{REST: h.AdminConfig(), Namespace: "nowhere", Missing: func(*engine.Snapshot) error { return missing }}, 0)
	if !errors.Is(err, ErrNoNamespace) {
		t.Errorf("in a namespace that does not exist: %v after %v", err, time.Since(began))
	}
}
