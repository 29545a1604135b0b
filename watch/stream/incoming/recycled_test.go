package incoming

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/dump"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// TestDecodedObjectsKeepNoBytes checks that no object refers to the bytes that it was decoded
// from: they are used again for the next one.
func TestDecodedObjectsKeepNoBytes(t *testing.T) {
	hub := engine.NewHubName("hub", "")
	for kind, of := range map[engine.Kind]any{
		engine.KindClusterStagedUpdateRun:   &placement.StagedUpdateRun{},
		engine.KindClusterApprovalRequest:   &placement.ApprovalRequest{},
		engine.KindClusterResourceBinding:   &placement.ResourceBinding{},
		engine.KindClusterResourcePlacement: &placement.ResourcePlacement{},
		engine.KindMemberCluster:            &cluster.MemberCluster{},
		engine.KindStagedUpdateRun:          &placement.StagedUpdateRun{},
		engine.KindApprovalRequest:          &placement.ApprovalRequest{},
		engine.KindResourceBinding:          &placement.ResourceBinding{},
		engine.KindResourcePlacement:        &placement.ResourcePlacement{},
	} {
		n := 0
		fill(reflect.ValueOf(of).Elem(), &n, 0)
		raw, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{len(raw), len(raw) - 1, len(raw) / 2} { // a cut one is broken
			used := append([]byte(nil), raw[:size]...)
			got := Decode(hub, kind, used)
			if broken := got.Broken != ""; broken != (size < len(raw)) {
				t.Fatalf("%s of %d bytes: %q", kind, size, got.Broken)
			}
			before := dump.Pretty(got) // down to unexported fields
			for i := range used {
				used[i] = 'x'
			}
			if after := dump.Pretty(got); after != before {
				t.Errorf("%s of %d bytes changes with its bytes: -before +after:\n%s", kind, size, cmp.Diff(before, after))
			}
		}
	}
}

// fill gives every field a value of its own, as far down as objects are kept.
func fill(v reflect.Value, n *int, depth int) {
	*n++
	if depth > 12 {
		return
	}
	switch at := v.Addr().Interface().(type) {
	case *metav1.Time:
		*at = metav1.NewTime(time.Unix(1_700_000_000+int64(*n), 0))
		return
	case *intstr.IntOrString:
		*at = intstr.FromString(fmt.Sprintf("%d%%", *n%100))
		return
	case *metav1.FieldsV1:
		at.SetRawBytes([]byte(`{"f:spec":{}}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("value-%d", *n))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n, depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n, depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n, depth+1)
		fill(value, n, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n, depth+1)
			}
		}
	}
}
