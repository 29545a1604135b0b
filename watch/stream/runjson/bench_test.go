package runjson

import (
	"encoding/json"
	"testing"
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
		if _, err := Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}
