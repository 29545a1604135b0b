package world

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// WorkloadResource returns the resource of group apps of a kind with pods whose
// readiness the member's agent waits for; empty for any other kind.
func WorkloadResource(kind string) string {
	switch kind {
	case "Deployment":
		return "deployments"
	case "StatefulSet":
		return "statefulsets"
	case "DaemonSet":
		return "daemonsets"
	}
	return ""
}

// MemberWorkload is a Deployment, StatefulSet or DaemonSet with its pods.
type MemberWorkload struct {
	Kind, Namespace, Name string
	// Missing is set when the member has none of that name.
	Missing bool
	Why     engine.Text
	// Desired is spec.replicas; 0 for a DaemonSet, whose nodes decide.
	Desired                             int
	Replicas, Updated, Ready, Available int
	// Setbacks are its conditions that tell of a failure: no pod can be made, or
	// none got ready in time.
	Setbacks []MemberSetback
	Pods     []MemberPod
	Events   []MemberEvent
	Log      []string
	LogOf    string
	LogWhy   engine.Text
}

// MemberSetback is a condition of a workload that tells of a failure.
type MemberSetback struct{ Type, Status, Reason, Message string }

// MemberPod is a pod of a workload.
type MemberPod struct {
	Name, Phase, Node string
	Ready             bool
	Restarts          int
	// Reason and Message are why Container, of Image, waits or has ended.
	Reason, Message, Container, Image string
	// Ended is why Container ended last, with the exit code; empty if it never did.
	Ended   string
	Created time.Time
}

// MemberEvent is an event about the workload or one of its pods.
type MemberEvent struct {
	Object, Type, Reason, Message string
	Count                         int
	Last                          time.Time
}

// Title returns "Kind namespace/name".
func (w *MemberWorkload) Title() engine.Text {
	return engine.Textf("%s %s/%s", engine.Clean(w.Kind), engine.Clean(w.Namespace), engine.Clean(w.Name))
}
