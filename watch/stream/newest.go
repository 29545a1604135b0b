package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// unusedName is a name that no object has: to list it, an API server looks up one key.
const unusedName = "stagewatch.none"

// verify finds out, before the set is watched from its version again, whether the hub
// has gone back to an older one: it would send nothing until it reaches that version.
func (s *stream) verify(ctx context.Context, deadline time.Duration) error {
	version, err := s.short(ctx, deadline)
	if err != nil {
		return err
	}
	return s.checkAge(version)
}

// checkAge compares the version of an answer that has the newest state with that of the
// set. The second older one in succession is believed: every set is listed again then.
func (s *stream) checkAge(version string) error {
	s.mu.Lock()
	if s.version == "" || !client.Older(version, s.version) {
		s.older = 0
		s.mu.Unlock()
		return nil
	}
	s.older++
	believed := s.older > 1
	// The next answer may be as new as what is known: of a server that was behind, or of a
	// restored hub that has caught up. The list shows what it has.
	s.relist, s.exact = true, true
	s.mu.Unlock()
	if believed {
		s.link.Older(time.Now(), s.read)
	}
	return errOlder
}

// short asks for a list of at most two objects of the set, and returns the newest version.
// Of a set that a label selects it asks for the object of that name: to find two that
// match, an API server may read and decode every object of the kind from etcd.
func (s *stream) short(ctx context.Context, deadline time.Duration) (string, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	ctx, cancel := s.hub.Within(ctx, deadline)
	defer cancel()
	s.waits(stuckFor)
	defer s.due.Store(0)
	r := s.request(metav1.ListOptions{Limit: 2}).SetHeader("Accept", printed.MetadataAccept)
	if !s.key.Placement.IsZero() {
		r = r.Param("fieldSelector", "metadata.name="+unusedName)
	}
	raw, err := s.hub.Do(ctx, r)
	s.answers(err)
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", fmt.Errorf("read list of %s: %w: %w", s.key.Kind.Plural(), client.ErrNotJSON, err)
	}
	if list.ResourceVersion == "" {
		return "", fmt.Errorf("read list of %s: no resourceVersion: %w", s.key.Kind.Plural(), client.ErrNotJSON)
	}
	return list.ResourceVersion, nil
}
