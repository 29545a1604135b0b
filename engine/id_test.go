package engine

import (
	"slices"
	"testing"
	"unsafe"
)

// Two hubs may have objects of the same kind, name and UID: their IDs differ, as map
// keys, in comparisons and in order.
func TestIDHasItsHub(t *testing.T) {
	a := NewHubName("prod", "").ID(KindStagedUpdateRun, "shop", "web-r1", "u")
	b := a.On(NewHubName("test", ""))
	if a == b || a.Key() == b.Key() || a.SameName(b) || len(map[ID]bool{a: true, b: true}) != 2 {
		t.Errorf("%v and %v are the same object", a, b)
	}
	if a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 {
		t.Errorf("order of %v and %v: %d, %d, %d", a, b, a.Compare(b), b.Compare(a), a.Compare(a))
	}
	if same := NewHubName("prod", "").ID(KindStagedUpdateRun, "shop", "web-r1", "u"); same != a {
		t.Error("the same object has two IDs")
	}
	for _, of := range []ID{a.Beside(KindMemberCluster, "", "m", ""), PlacementKey(a, "web"), a.Key()} {
		if of.Hub() != a.Hub() {
			t.Errorf("%v is on hub %q", of, of.Hub().Text())
		}
	}
	if !slices.IsSortedFunc([]ID{a, b, a.Beside(KindStagedUpdateRun, "shop", "web-r2", "")}, ID.Compare) {
		t.Error("runs of one name are not side by side")
	}
}

// A run in a namespace called csur is not shown as the cluster run of its name.
func TestTitleOfARunInANamespaceLikeAKind(t *testing.T) {
	var hub HubName
	for ns, want := range map[string]string{"": "web", "shop": "shop/web", "csur": "sur/csur/web", "sur": "sur/sur/web", "stagedupdateruns": "sur/stagedupdateruns/web"} {
		id := hub.ID(KindStagedUpdateRun, ns, "web", "u")
		if ns == "" {
			id = hub.ID(KindClusterStagedUpdateRun, ns, "web", "u")
		}
		if id.Title().String() != want {
			t.Errorf("namespace %q: title %s, want %s", ns, id.Title(), want)
		}
		text, _ := id.MarshalText()
		if ns != "" && string(text) != "sur/"+ns+"/web" {
			t.Errorf("namespace %q: JSON has %s", ns, text)
		}
	}
	if got := hub.ID(KindResourcePlacement, "csur", "web", "").Title().String(); got != "csur/web" {
		t.Errorf("a placement: %s", got)
	}
}

// Many IDs are kept: the hub takes no more than a pointer in each.
func TestHubNameIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(HubName{}); n > unsafe.Sizeof(uintptr(0)) {
		t.Errorf("a HubName has %d bytes", n)
	}
}

func TestHubNameOnTheScreen(t *testing.T) {
	for context, want := range map[string]string{"prod": "prod", "": "", "a\x1bb": `a\x1bb`} {
		h := NewHubName(context, "")
		if h.Text().String() != want || h.Raw() != context || h.IsZero() != (context == "") {
			t.Errorf("%q gives %q, %q, %v", context, h.Text(), h.Raw(), h.IsZero())
		}
	}
}
