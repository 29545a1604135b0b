package client

import "testing"

// TestWithoutUser keeps credentials in a server's URL off the screen and out of
// the audit.
func TestWithoutUser(t *testing.T) {
	for server, want := range map[string]string{
		"https://hub.example:6443":                   "https://hub.example:6443",
		"https://hub.example/k8s/clusters/c-1":       "https://hub.example/k8s/clusters/c-1",
		"127.0.0.1:6443":                             "127.0.0.1:6443",
		"https://ann:secret@hub.example:6443/k8s":    "https://hub.example:6443/k8s",
		"ann:secret@hub.example:6443":                "the hub",
		"https://ann:sec%zzret@hub.example:6443/k8s": "the hub",
	} {
		if got := WithoutUser(server); got != want {
			t.Errorf("%s: %q, want %q", server, got, want)
		}
	}
}
