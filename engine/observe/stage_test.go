package observe

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func TestConcurrency(t *testing.T) {
	num := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	str := func(s string) *intstr.IntOrString { v := intstr.FromString(s); return &v }
	tests := []struct {
		name     string
		in       *intstr.IntOrString
		clusters int
		want     int
		written  string
	}{
		{"not set", nil, 5, 1, "1"},
		{"a number", num(3), 5, 3, "3"},
		{"more than there are", num(30), 5, 30, "30"},
		{"zero", num(0), 5, 1, "0"},
		{"percent rounds down", str("50%"), 5, 2, "50%"},
		{"percent of few is at least one", str("10%"), 5, 1, "10%"},
		{"all", str("100%"), 7, 7, "100%"},
		{"of none", str("50%"), 0, 1, "50%"},
		{"garbage", str("half\x1b"), 5, 1, `half\x1b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stageRead{config: &placement.StageConfig{MaxConcurrency: tt.in}, clusters: make([]clusterRead, tt.clusters)}
			if n, w := s.concurrency(); n != tt.want || w.String() != tt.written {
				t.Errorf("got %d %q, want %d %q", n, w, tt.want, tt.written)
			}
		})
	}
}
