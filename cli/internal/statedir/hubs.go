package statedir

import (
	"fmt"
	"slices"
)

// hubsFile is a list of contexts.
const hubsFile = "hubs.json"

// MaxHubs is how many contexts are kept as hubs.
const MaxHubs = 20

// Hubs returns the contexts that served the hub API before, the last one first. A
// file that cannot be read has none: the list is only advice.
func (d Dir) Hubs() []string {
	var hubs []string
	if d.read(hubsFile, &hubs) != nil {
		return nil
	}
	return hubs
}

// RememberHub moves a context to the front of Hubs.
func (d Dir) RememberHub(context string) error {
	hubs := d.Hubs()
	if d == "" || context == "" || len(hubs) > 0 && hubs[0] == context {
		return nil
	}
	hubs = append([]string{context}, slices.DeleteFunc(hubs, func(h string) bool { return h == context })...)
	if err := d.replace(hubsFile, hubs[:min(len(hubs), MaxHubs)]); err != nil {
		return fmt.Errorf("write list of hubs: %w", err)
	}
	return nil
}
