package pass

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Op says what an Effect is for.
type Op int

// The operations that a pass asks for. The comment names the type of
// Effect.Object, or the fields that are set instead of it.
const (
	OpAddFinalizer       Op = iota + 1 // StagedUpdateRun; field manager placement.FieldManagerUpdateRun
	OpWriteStatus                      // StagedUpdateRun
	OpRemoveFinalizer                  // StagedUpdateRun
	OpUpdateBinding                    // ResourceBinding
	OpWriteBindingStatus               // ResourceBinding
	OpDeleteBinding                    // ResourceBinding
	OpGetBinding                       // ResourceBinding: name and namespace only
	OpCreateApproval                   // ApprovalRequest
	OpGetApproval                      // ApprovalRequest: name and namespace only
	OpAcceptApproval                   // ApprovalRequest
	OpDeleteApprovals                  // ApprovalRequest: namespace only; Effect.Selector
	OpGetObject                        // Effect.Resource, Namespace, Name
	OpListObjects                      // Effect.Resource, Namespace, Selector
	OpCreateSnapshot                   // ResourceSnapshot
	OpUpdateSnapshot                   // ResourceSnapshot
	OpDeleteSnapshot                   // ResourceSnapshot
)

// Verb is the HTTP request that an operation is.
type Verb int

// The verbs of operations. Update and UpdateStatus replace the whole object
// and carry the resourceVersion that was read, so that a conflict is refused.
const (
	Get Verb = iota + 1
	List
	Create
	Update
	UpdateStatus
	Delete
	DeleteCollection
)

// Verb returns the request that the operation is.
func (o Op) Verb() Verb {
	switch o {
	case OpAddFinalizer, OpRemoveFinalizer, OpUpdateBinding, OpUpdateSnapshot:
		return Update
	case OpWriteStatus, OpWriteBindingStatus, OpAcceptApproval:
		return UpdateStatus
	case OpDeleteBinding, OpDeleteSnapshot:
		return Delete
	case OpCreateApproval, OpCreateSnapshot:
		return Create
	case OpDeleteApprovals:
		return DeleteCollection
	case OpListObjects:
		return List
	default:
		return Get
	}
}

// String names the operation in logs and test failures.
func (o Op) String() string {
	names := [...]string{
		OpAddFinalizer: "add finalizer", OpWriteStatus: "write run status", OpRemoveFinalizer: "remove finalizer",
		OpUpdateBinding: "update binding", OpWriteBindingStatus: "write binding status", OpDeleteBinding: "delete binding", OpGetBinding: "get binding",
		OpCreateApproval: "create approval request", OpGetApproval: "get approval request",
		OpAcceptApproval: "accept approval request", OpDeleteApprovals: "delete approval requests",
		OpGetObject: "get object", OpListObjects: "list objects",
		OpCreateSnapshot: "create resource snapshot", OpUpdateSnapshot: "update resource snapshot",
		OpDeleteSnapshot: "delete resource snapshot",
	}
	if o < 1 || int(o) >= len(names) {
		return "unknown operation"
	}
	return names[o]
}

// Object is what an Effect sends and an Answer brings back: one of the typed
// kinds of the hub.
type Object interface {
	metav1.Object
	runtime.Object
}

// Effect is one API request. An Object with an empty namespace stands for the
// cluster-scoped kind of the same name. The receiver must not change or keep
// Object after it has answered.
type Effect struct {
	Op Op
	// Object is the whole object to send.
	Object Object
	// Resource, Namespace and Name address what OpGetObject and OpListObjects
	// read; Selector limits OpListObjects and OpDeleteApprovals.
	Resource        schema.GroupVersionResource
	Namespace, Name string
	Selector        labels.Selector
}

// Answer is what the hub returned. Errors are those of the API machinery
// (k8s.io/apimachinery/pkg/api/errors), whose kind the rules look at.
type Answer struct {
	// Object is the object as stored after a create, update or get; the
	// caller of do owns it from here on.
	Object Object
	// Items are the objects that a get or list of OpGetObject and
	// OpListObjects found.
	Items []*unstructured.Unstructured
}
