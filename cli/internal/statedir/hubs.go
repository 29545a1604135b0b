package statedir

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// hubsFile is a list of contexts.
const hubsFile = "hubs.json"

// MaxHubs is how many contexts are kept as hubs.
const MaxHubs = 20

// Hub is a context that served the hub API to a screen.
type Hub struct {
	Context string `json:"context"`
	// LastUsed is when a screen on it opened last; zero if an earlier version noted it.
	LastUsed time.Time `json:"lastUsed,omitzero"`
}

// UnmarshalJSON reads the entry, or the name alone, which earlier versions wrote.
func (h *Hub) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &h.Context) == nil {
		return nil
	}
	type plain Hub
	return json.Unmarshal(raw, (*plain)(h))
}

// KnownHubs returns the contexts that served the hub API before, the last one first. A
// file that cannot be read has none: the list is only advice.
func (d Dir) KnownHubs() []Hub {
	var hubs []Hub
	if d.read(hubsFile, &hubs) != nil {
		return nil
	}
	return hubs
}

// Hubs returns the names of KnownHubs.
func (d Dir) Hubs() []string {
	var names []string
	for _, h := range d.KnownHubs() {
		names = append(names, h.Context)
	}
	return names
}

// RememberHub moves a context to the front of KnownHubs.
func (d Dir) RememberHub(context string, now time.Time) error {
	if d == "" || context == "" {
		return nil
	}
	hubs := slices.DeleteFunc(d.KnownHubs(), func(h Hub) bool { return h.Context == context })
	hubs = append([]Hub{{context, now.UTC().Truncate(time.Second)}}, hubs...)
	if err := d.replace(hubsFile, hubs[:min(len(hubs), MaxHubs)]); err != nil {
		return fmt.Errorf("write list of hubs: %w", err)
	}
	return nil
}
