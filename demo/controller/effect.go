package controller

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// do sends one effect to the hub.
func (e *Controller) do(ctx context.Context, effect pass.Effect) (pass.Answer, error) {
	switch object := effect.Object.(type) {
	case *placement.StagedUpdateRun:
		return request(ctx, e.world.Runs, effect, object)
	case *placement.ResourceBinding:
		return request(ctx, e.world.Bindings, effect, object)
	case *placement.ApprovalRequest:
		return request(ctx, e.world.Approvals, effect, object)
	case *placement.ResourceSnapshot:
		return request(ctx, e.world.ResourceSnapshots, effect, object)
	case nil:
		return e.readAny(ctx, effect)
	default:
		return pass.Answer{}, fmt.Errorf("%s: no requests for %T", effect.Op, object)
	}
}

// typed is an object of a table that the rules know.
type typed[T any] interface {
	*T
	pass.Object
	DeepCopy() *T
}

// request sends an effect on an object of one table.
func request[T any, P typed[T]](ctx context.Context, t *store.Table[T], effect pass.Effect, object P) (pass.Answer, error) {
	k := store.Key{Namespace: object.GetNamespace(), Name: object.GetName()}
	var (
		result *T
		err    error
	)
	switch effect.Op.Verb() {
	case pass.Create:
		result, err = t.Create(ctx, object)
	case pass.Update:
		var options metav1.UpdateOptions
		if effect.Op == pass.OpAddFinalizer {
			options.FieldManager = placement.FieldManagerUpdateRun
		}
		result, err = t.Update(ctx, object, "", options)
	case pass.UpdateStatus:
		result, err = t.Update(ctx, object, "status", metav1.UpdateOptions{})
	case pass.Get:
		result, err = t.Read(ctx, k)
	case pass.Delete:
		return pass.Answer{}, t.Delete(ctx, k, metav1.DeleteOptions{})
	case pass.DeleteCollection:
		return pass.Answer{}, t.DeleteAll(ctx, k.Namespace, effect.Selector)
	default:
		return pass.Answer{}, fmt.Errorf("%s: no such request", effect.Op)
	}
	if err != nil {
		return pass.Answer{}, err
	}
	return pass.Answer{Object: P(P(result).DeepCopy())}, nil
}

// readAny reads objects of any kind: the resources that a placement selects.
func (e *Controller) readAny(ctx context.Context, effect pass.Effect) (pass.Answer, error) {
	if effect.Op.Verb() == pass.Get && !store.Addressable(effect.Name) {
		return pass.Answer{}, apierrors.NewNotFound(effect.Resource.GroupResource(), effect.Name)
	}
	if !e.kinds.isSynced(effect.Resource, time.Now()) {
		return pass.Answer{}, initialize.NotSynced(effect.Resource)
	}
	var from dynamic.ResourceInterface = e.world.Hub.Resource(effect.Resource)
	if effect.Namespace != "" {
		from = e.world.Hub.Resource(effect.Resource).Namespace(effect.Namespace)
	}
	var answer pass.Answer
	switch effect.Op.Verb() {
	case pass.Get:
		found, err := from.Get(ctx, effect.Name, metav1.GetOptions{})
		if err != nil {
			return answer, err
		}
		answer.Items = []*unstructured.Unstructured{found}
	case pass.List:
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
