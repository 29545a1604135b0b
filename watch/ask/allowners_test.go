package ask

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/tally"
	"github.com/stagewatch/stagewatch/watch/client"
)

// bindingsHub serves bindings in pages of two, the second page after a pause, and notes where
// the pages begin. The continuation "expires" is answered with 410 once.
type bindingsHub struct {
	slow  func()
	asked []string
	gone  bool
}

func (h *bindingsHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := r.URL.Query().Get("continue")
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/resourcebindings") {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"resourcebindings is forbidden"}`)
		return
	}
	h.asked = append(h.asked, from)
	if from == "expires" && !h.gone {
		h.gone = true
		w.WriteHeader(http.StatusGone)
		fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}`)
		return
	}
	binding := func(cluster, index, available string) any {
		condition := func(kind, status, reason, message string) any {
			return map[string]any{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-03-02T10:00:00Z"}
		}
		return map[string]any{
			"metadata": map[string]any{"name": "web-" + cluster, "uid": cluster, "labels": map[string]any{"app": "x", "kubernetes-fleet.io/parent-CRP": "web"}},
			"spec":     map[string]any{"state": "Bound", "targetCluster": cluster, "resourceSnapshotName": "web-" + index + "-snapshot"},
			"status": map[string]any{"conditions": []any{
				condition("RolloutStarted", "True", "RolloutStarted", "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: "+index+", updateRun: web-r"+index),
				condition("Overridden", "True", "x", ""), condition("WorkSynchronized", "True", "x", ""), condition("Applied", "True", "x", ""),
				condition("Available", available, "NotAllWorkAreAvailable", ""),
			}},
		}
	}
	items, next := []any{binding("a", "9", "True"), binding("b", "9", "False")}, "expires"
	if from != "" {
		h.slow()
		items, next = []any{binding("c", "10", "True"), "no object"}, ""
	}
	meta := map[string]any{"resourceVersion": "7", "continue": next}
	if next != "" {
		meta["remainingItemCount"] = 2
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"metadata": meta, "items": items})
}

// Every binding of the hub is counted by placement and snapshot, the newest first, with what
// could not be read. A list that expires begins anew, and counts nothing twice.
func TestAllBindingsAreCounted(t *testing.T) {
	h := &bindingsHub{slow: func() {}}
	a := askAll(t, h)(t)
	want := `web: 10 | 1 | 1 | web-r10 | -
web: 9 | 2 | 1 | web-r9 | 1 Available: NotAllWorkAreAvailable
1 binding could not be read
not shown: resourcebindings is forbidden`
	if got := table(&a); got != want || !a.More.IsZero() || a.At.IsZero() {
		t.Errorf("counted:\n%s\nmore %q\nwant:\n%s", got, a.More, want)
	}
	says := fmt.Sprint(a.Sections[0].Rows[1].Aside)
	for _, want := range []string{"1 of 2 bindings available.", "Available: NotAllWorkAreAvailable: b.", "Written by web-r9: 2."} {
		if !strings.Contains(says, want) {
			t.Errorf("no %q beside the row: %s", want, says)
		}
	}
	if note := a.Sections[0].Note.String(); note != "3 bindings of 1 placement" {
		t.Errorf("note %q", note)
	}
	if got := fmt.Sprintf("%q", h.asked); got != `["" "expires" "" "expires"]` {
		t.Errorf("asked for pages from %s", got)
	}
}

// A question reads for a second and says how far it is; the same question goes on there. Right
// after the end it has the same answer.
func TestTheReadOfAllBindingsGoesOn(t *testing.T) {
	h := &bindingsHub{gone: true}
	var all *Asker
	ask := askAll(t, h, func(s *Asker) { all = s })
	h.slow = func() {}
	if err := first(t, all); err != nil {
		t.Fatal(err)
	}
	all.reading.asked = time.Now()
	if says := all.reading.progress().String(); !strings.HasPrefix(says, "reading bindings: 2 of 4, ") {
		t.Errorf("progress %q", says)
	}
	part := tally.Page(all.reading.tally, 0, all.reading.progress(), nil, time.Now())
	if part.More.IsZero() || !strings.Contains(table(&part), "reading bindings: 2 of 4") {
		t.Errorf("while it is read:\n%s", table(&part))
	}
	a := ask(t)
	if got := fmt.Sprintf("%q", h.asked); got != `["" "expires"]` || !a.More.IsZero() {
		t.Errorf("asked for pages from %s, more %q", got, a.More)
	}
	if again := ask(t); table(&again) != table(&a) || len(h.asked) != 2 {
		t.Errorf("read again: %q", h.asked)
	}
	all.reading.asked = time.Now().Add(-2 * repeatedWithin)
	if ask(t); len(h.asked) != 4 {
		t.Errorf("not read again: %q", h.asked)
	}
}

// Where the bindings of all namespaces are not permitted, those of the fallback namespace are read. If
// none are permitted, that is an error, and not a hub without bindings.
func TestAllBindingsThatArePermitted(t *testing.T) {
	binding := `{"metadata":{"name":"pay-a","namespace":"shop","labels":{"kubernetes-fleet.io/parent-CRP":"pay"}},"spec":{"state":"Bound","targetCluster":"a","resourceSnapshotName":"pay-3-snapshot"}}`
	for _, tt := range []struct{ permitted, fallback, rows, fails string }{
		{"/namespaces/shop/resourcebindings", "shop", `shop/pay: 3 | 1 | 0 | no run | 1 RolloutStarted not reported
not shown: clusterresourcebindings is forbidden
not shown: bindings outside namespace shop: resourcebindings is forbidden`, ""},
		{"/clusterresourcebindings", "shop", `no bindings
not shown: bindings outside namespace shop: resourcebindings is forbidden
not shown: resourcebindings is forbidden`, ""},
		{"/namespaces/shop/resourcebindings", "", "", "resourcebindings is forbidden"},
		{"/nothing", "shop", "", "resourcebindings is forbidden"},
	} {
		var all *Asker
		askAll(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			of := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			switch {
			case !strings.HasSuffix(r.URL.Path, tt.permitted):
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprintf(w, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"%s is forbidden"}`, of)
			case of == "resourcebindings":
				fmt.Fprintf(w, `{"metadata":{"resourceVersion":"7"},"items":[%s]}`, binding)
			default:
				fmt.Fprint(w, `{"metadata":{"resourceVersion":"7"},"items":[]}`)
			}
		}), func(s *Asker) { all = s; s.Fallback = tt.fallback })
		a := all.Answer(t.Context(), page.AllOwnersQuestion{})
		if a.Err.String() != tt.fails || tt.fails != "" && a.Fault != act.FaultDenied {
			t.Errorf("%s, fallback %q: error %q, fault %v", tt.permitted, tt.fallback, a.Err, a.Fault)
		}
		if of := a.Sections; len(of) > 0 && strings.HasPrefix(tt.rows, "shop/pay") && !strings.Contains(fmt.Sprint(of[0].Rows[0].Aside), "Written by no run: 1.") {
			t.Errorf("%s: beside a binding of no run: %v", tt.permitted, of[0].Rows[0].Aside)
		}
		if tt.fails == "" && table(&a) != tt.rows {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.permitted, table(&a), tt.rows)
		}
	}
}

// first reads the first page alone.
func first(t *testing.T, s *Asker) error {
	t.Helper()
	s.reading = s.begin(0)
	return s.goOn(t.Context())
}

// askAll returns what asks a hub for all bindings.
func askAll(t *testing.T, h http.Handler, with ...func(*Asker)) func(*testing.T) page.Answer {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := New(Config{Hub: c, Seen: func() *engine.Snapshot { return nil }, ClusterRuns: true, NamespacedRuns: true})
	for _, f := range with {
		f(s)
	}
	return func(t *testing.T) page.Answer {
		t.Helper()
		a := s.Answer(t.Context(), page.AllOwnersQuestion{})
		if !a.Err.IsZero() {
			t.Fatal(a.Err)
		}
		return a
	}
}

// table are the rows of a page.
func table(a *page.Answer) string {
	var lines []string
	for _, r := range a.Sections[0].Rows {
		var cells []engine.Text
		for _, c := range r.Cells {
			cells = append(cells, c.Text)
		}
		lines = append(lines, strings.Replace(engine.Join(cells, " | ").String(), " | ", ": ", 1))
	}
	return strings.Join(lines, "\n")
}

// A permission that is lost between two pages counts nothing twice.
func TestAllOwnersWhenThePermissionIsLost(t *testing.T) {
	binding := `{"metadata":{"name":"pay-a","namespace":"shop","labels":{"kubernetes-fleet.io/parent-CRP":"pay"}},"spec":{"state":"Bound","targetCluster":"a","resourceSnapshotName":"pay-3-snapshot"}}`
	lost := false
	askAll(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		all := strings.HasSuffix(r.URL.Path, "/resourcebindings") && !strings.Contains(r.URL.Path, "/namespaces/")
		lost = lost || all && r.URL.Query().Has("continue")
		switch {
		case strings.HasSuffix(r.URL.Path, "clusterresourcebindings"):
			fmt.Fprint(w, `{"metadata":{"resourceVersion":"7"},"items":[]}`)
		case !all:
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"7"},"items":[%s]}`, binding)
		case !lost:
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"7","continue":"next","remainingItemCount":1},"items":[%s]}`, binding)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"resourcebindings is forbidden"}`)
		}
	}), func(s *Asker) {
		s.Fallback = "shop"
		a := s.Answer(t.Context(), page.AllOwnersQuestion{})
		if text := table(&a); !a.Err.IsZero() || !lost || !strings.Contains(text, "shop/pay: 3 | 1 |") {
			t.Errorf("%v\n%s", a.Err, text)
		}
	})
}
