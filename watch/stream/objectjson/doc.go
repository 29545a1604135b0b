// Package objectjson decodes objects of which a hub has thousands from JSON: what they
// consist of by hand, what is rare with its Go type. encoding/json makes 18,000 strings of a
// run of 1,000 clusters, and needs three times the time for a binding.
package objectjson
