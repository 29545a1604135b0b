// Package corrupt damages objects for tests, in the way that manual edits, hubs of
// other versions and hostile tenants may.
package corrupt

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// words are what stands where a word of the API is expected.
var words = []string{
	"", "True", "False", "Unknown", "true", "Succeeded", "Progressing", "Approved", "Available", "UpdateRunStuck", "UpdateRunWaiting",
	"StageTaskApprovalRequestApproved", "Run", "Stop", "Pause", "TimedWait", "Approval", "Moonphase", "External", "0", "7", "-1", "50%", "101%", "x-7-snapshot",
	"\x1b]0;owned\x07\x1b[2J", "\u202egnp.exe", "a\nb", strings.Repeat("long ", 2000), "\xff\xfe", "{\"a\":", "../..",
}

// Objects damages what the pointers point to, each field with chance p, so that
// the types still hold. Names and UIDs stay: a hub would not let go of those.
func Objects(r *rand.Rand, p float64, pointers ...any) {
	d := damage{r, p}
	for _, o := range pointers {
		d.value(reflect.ValueOf(o).Elem())
	}
}

type damage struct {
	*rand.Rand
	p float64
}

var (
	timeType = reflect.TypeFor[metav1.Time]()
	metaType = reflect.TypeFor[metav1.ObjectMeta]()
)

// value damages one value in place.
func (d damage) value(v reflect.Value) {
	hit := d.Float64() < d.p
	switch {
	case !v.CanSet():
		return
	case v.Type() == timeType:
		if hit {
			v.Set(reflect.ValueOf([]metav1.Time{{}, {Time: time.Unix(0, 0)}, {Time: time.Unix(d.Int64N(1<<40), 0)}}[d.IntN(3)]))
		}
		return
	case v.Type() == metaType:
		d.meta(v.Addr().Interface().(*metav1.ObjectMeta)) //nolint:forcetypeassert // just compared
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Pointer:
		switch {
		case hit:
			v.SetZero()
		case !v.IsNil():
			d.value(v.Elem())
		}
	case reflect.Slice:
		d.slice(v, hit)
	case reflect.Map:
		if hit {
			v.SetZero()
		}
	case reflect.String:
		if hit {
			v.SetString(words[d.IntN(len(words))])
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if hit {
			v.SetInt(int64(d.IntN(6) - 2))
		}
	case reflect.Bool:
		v.SetBool(v.Bool() != hit)
	default:
	}
}

// slice damages the elements of a slice; it may lose or repeat one, or all go.
func (d damage) slice(v reflect.Value, hit bool) {
	n := v.Len()
	copied := reflect.MakeSlice(v.Type(), n, n+1)
	reflect.Copy(copied, v)
	if hit && n > 0 {
		switch i := d.IntN(n); d.IntN(4) {
		case 0:
			copied = reflect.Zero(v.Type())
		case 1:
			copied = reflect.AppendSlice(copied.Slice(0, i), copied.Slice(i+1, n))
		default:
			copied = reflect.Append(copied, copied.Index(i))
		}
	}
	v.Set(copied)
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

// meta damages what may change of an object's metadata.
func (d damage) meta(o *metav1.ObjectMeta) {
	hit := func() bool { return d.Float64() < d.p }
	labels := make(map[string]string, len(o.Labels))
	for k, v := range o.Labels {
		switch {
		case !hit():
			labels[k] = v
		case d.IntN(2) == 0:
			labels[k] = words[d.IntN(len(words))]
		}
	}
	o.Labels = labels
	if hit() {
		o.Annotations = map[string]string{"kubernetes-fleet.io/number-of-resource-snapshots": words[d.IntN(len(words))]}
	}
	if hit() {
		o.Generation = int64(d.IntN(4))
	}
	if hit() {
		o.CreationTimestamp = metav1.Time{}
	}
	if hit() {
		o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
}
