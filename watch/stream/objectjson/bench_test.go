package objectjson

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkDecode is the cost of one run of 1,000 clusters.
func BenchmarkDecode(b *testing.B) {
	raw, err := json.Marshal(bigRun("run", 1000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeRun(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// Clusters whose conditions are the same share them: a finished run of 1,000 clusters
// has 150 different lists.
func TestConditionsAreShared(t *testing.T) {
	raw, err := json.Marshal(bigRun("run", 1000))
	if err != nil {
		t.Fatal(err)
	}
	run, err := DecodeRun(raw)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[*metav1.Condition]bool{}
	for _, c := range run.Status.StagesStatus[0].Clusters {
		lists[&c.Conditions[0]] = true
	}
	if len(lists) != 150 {
		t.Errorf("%d lists, want 150", len(lists))
	}
	if n := cap(run.Status.StagesStatus[0].Clusters); n != 1000 {
		t.Errorf("room for %d clusters, want 1000", n)
	}
}
