package intern

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"
)

func same(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// Every copy of a string is the first one, whatever the garbage collector does.
func TestOneCopy(t *testing.T) {
	first := Bytes([]byte("member-1"))
	runtime.GC()
	runtime.GC()
	for what, again := range map[string]string{"bytes": Bytes([]byte("member-1")), "string": String(string([]byte("member-1")))} {
		if again != first || !same(again, first) {
			t.Errorf("%s: another copy of %q", what, again)
		}
	}
	if Bytes(nil) != "" || String("") != "" {
		t.Error("the empty string is not itself")
	}
	long := make([]byte, Longest+1)
	if same(Bytes(long), Bytes(long)) {
		t.Error("a string without a bound is kept")
	}
}

// Strings that come once are forgotten, those that are used stay.
func TestItsSizeIsBounded(t *testing.T) {
	used := Bytes([]byte("in use"))
	for i := range 200_000 {
		Bytes(fmt.Appendf(nil, "once %d", i))
		if i%1000 == 0 && !same(Bytes([]byte("in use")), used) {
			t.Fatalf("after %d strings, one in use has another copy", i)
		}
	}
	strings.mu.Lock()
	defer strings.mu.Unlock()
	if kept, most := len(strings.young)+len(strings.old), 2*generation/overhead; kept > most {
		t.Errorf("%d strings are kept, at most %d may be", kept, most)
	}
}

func TestNothingIsAllocatedForAKnownString(t *testing.T) {
	name := []byte("member-2")
	Bytes(name)
	if n := testing.AllocsPerRun(100, func() { Bytes(name) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
