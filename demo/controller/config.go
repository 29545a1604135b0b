package controller

import (
	"errors"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	rollout "github.com/stagewatch/stagewatch/engine"
)

// LoadConfig reads the current context of a kubeconfig file. Only the file is
// looked at: no environment, no default place, no cluster around the process.
func LoadConfig(path string) (*rest.Config, error) {
	file, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return nil, err
	}
	if err := clientcmd.ResolveLocalPaths(file); err != nil {
		return nil, err
	}
	return clientcmd.NewDefaultClientConfig(*file, &clientcmd.ConfigOverrides{}).ClientConfig()
}

// Words is what an error says, fit for a terminal: what a hub answers may hold
// anything.
func Words(err error) string { return rollout.Clean(err.Error()).String() }

// Problem is why a hub cannot be driven.
type Problem int

// The problems that callers tell apart.
const (
	// Other is none of the following.
	Other Problem = iota
	// Absent is a hub without Fleet's kinds.
	Absent
	// Forbidden is a hub that does not know the user, or does not let them.
	Forbidden
	// Unreachable is a hub that does not answer.
	Unreachable
)

// ProblemOf returns the kind of an error of Run.
func ProblemOf(err error) Problem {
	var transport *url.Error
	switch {
	case apierrors.IsNotFound(err):
		return Absent
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return Forbidden
	case errors.As(err, &transport):
		return Unreachable
	default:
		return Other
	}
}
