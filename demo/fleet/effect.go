package fleet

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
)

// do sends one effect to the hub.
func (e *engine) do(ctx context.Context, effect drive.Effect) (drive.Answer, error) {
	switch object := effect.Object.(type) {
	case *placement.StagedUpdateRun:
		return request(ctx, e.world.runs, effect, object)
	case *placement.ResourceBinding:
		return request(ctx, e.world.bindings, effect, object)
	case *placement.ApprovalRequest:
		return request(ctx, e.world.approvals, effect, object)
	case *placement.ResourceSnapshot:
		return request(ctx, e.world.resourceSnapshots, effect, object)
	case nil:
		return e.readAny(ctx, effect)
	default:
		return drive.Answer{}, fmt.Errorf("%s: no requests for %T", effect.Op, object)
	}
}

// typed is an object of a table that the rules know.
type typed[T any] interface {
	*T
	drive.Object
	DeepCopy() *T
}

// request sends an effect on an object of one table.
func request[T any, P typed[T]](ctx context.Context, t *table[T], effect drive.Effect, object P) (drive.Answer, error) {
	k := key{Namespace: object.GetNamespace(), Name: object.GetName()}
	var (
		result *T
		err    error
	)
	switch effect.Op.Verb() {
	case drive.Create:
		result, err = t.create(ctx, object)
	case drive.Update:
		var options metav1.UpdateOptions
		if effect.Op == drive.OpAddFinalizer {
			options.FieldManager = placement.FieldManagerUpdateRun
		}
		result, err = t.update(ctx, object, "", options)
	case drive.UpdateStatus:
		result, err = t.update(ctx, object, "status", metav1.UpdateOptions{})
	case drive.Get:
		result, err = t.read(ctx, k)
	case drive.Delete:
		return drive.Answer{}, t.delete(ctx, k, metav1.DeleteOptions{})
	case drive.DeleteCollection:
		return drive.Answer{}, client(t.hub, t.kind.in(k.Namespace), k.Namespace).DeleteCollection(ctx,
			metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: effect.Selector.String()})
	default:
		return drive.Answer{}, fmt.Errorf("%s: no such request", effect.Op)
	}
	if err != nil {
		return drive.Answer{}, err
	}
	return drive.Answer{Object: P(P(result).DeepCopy())}, nil
}

// readAny reads objects of any kind: the resources that a placement selects.
func (e *engine) readAny(ctx context.Context, effect drive.Effect) (drive.Answer, error) {
	if effect.Op.Verb() == drive.Get && !addressable(effect.Name) {
		return drive.Answer{}, apierrors.NewNotFound(effect.Resource.GroupResource(), effect.Name)
	}
	if !e.kinds.isSynced(effect.Resource, time.Now()) {
		return drive.Answer{}, drive.NotSynced(effect.Resource)
	}
	var from dynamic.ResourceInterface = e.world.hub.Resource(effect.Resource)
	if effect.Namespace != "" {
		from = e.world.hub.Resource(effect.Resource).Namespace(effect.Namespace)
	}
	var answer drive.Answer
	switch effect.Op.Verb() {
	case drive.Get:
		found, err := from.Get(ctx, effect.Name, metav1.GetOptions{})
		if err != nil {
			return answer, err
		}
		answer.Items = []*unstructured.Unstructured{found}
	case drive.List:
		options := metav1.ListOptions{}
		if effect.Selector != nil {
			options.LabelSelector = effect.Selector.String()
		}
		list, err := from.List(ctx, options)
		if err != nil {
			return answer, err
		}
		for i := range list.Items {
			answer.Items = append(answer.Items, &list.Items[i])
		}
	default:
		return answer, fmt.Errorf("%s: no such request", effect.Op)
	}
	return answer, nil
}
