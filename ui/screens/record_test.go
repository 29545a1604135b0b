package screens

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

var record = flag.String("record", "", "record the hub of this kubeconfig anew (docs/screens.md#record)")

// recording is the kind of the first line of the file, which says when the others were read.
const recording = "Recording"

// TestRecord records the objects that the pictures are drawn from: those of the hub that -record
// names.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("-record names no kubeconfig")
	}
	config, err := clientcmd.BuildConfigFromFlags("", *record)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	head := metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: recording}}
	head.CreationTimestamp = metav1.NewTime(time.Now().UTC().Truncate(time.Second))
	var out bytes.Buffer
	write := func(o any) {
		t.Helper()
		raw, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(raw, '\n'))
	}
	write(&head)
	for _, kind := range []engine.Kind{
		engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindApprovalRequest,
		engine.KindClusterResourcePlacement, engine.KindResourcePlacement, engine.KindClusterResourceBinding, engine.KindResourceBinding, engine.KindMemberCluster,
	} {
		group := placement.GroupVersion.Group
		if kind == engine.KindMemberCluster {
			group = cluster.GroupVersion.Group
		}
		for _, o := range all(t, hub, schema.GroupResource{Group: group, Resource: kind.Plural()}) {
			o.SetManagedFields(nil)
			write(o.Object)
		}
	}
	if err := os.WriteFile(objects, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// all are the objects of a resource, in the newest version that the hub serves.
func all(t *testing.T, hub dynamic.Interface, of schema.GroupResource) []unstructured.Unstructured {
	t.Helper()
	list, err := hub.Resource(of.WithVersion("v1")).List(t.Context(), metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		list, err = hub.Resource(of.WithVersion("v1beta1")).List(t.Context(), metav1.ListOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list.Items
}

// recorded is when the objects of the file were read.
func recorded(t *testing.T) time.Time {
	t.Helper()
	raw, err := os.ReadFile(objects)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(raw, []byte("\n"))
	var head metav1.PartialObjectMetadata
	if decode(t, first, &head); head.Kind != recording {
		t.Fatalf("%s does not begin with when it was recorded", objects)
	}
	return head.CreationTimestamp.UTC()
}
