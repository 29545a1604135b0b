package ask

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Runs of one placement that are not initialized have their own plans: those of
// equal spec share one, and no plan is shown before what is near the placement.
func TestEachPendingRunHasItsPlan(t *testing.T) {
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	id := func(name string) engine.ID {
		return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u-"+name)
	}
	for name, index := range map[string]string{"web-r1": "7", "web-r2": "two", "web-r3": "7"} {
		run := &placement.StagedUpdateRun{}
		run.Name, run.Generation, run.CreationTimestamp = name, 1, metav1.Now()
		run.Spec.PlacementName, run.Spec.ResourceSnapshotIndex = "web", index
		w.Runs[id(name)] = run
	}
	s, _ := observe.Observe(nil, w, world.Changed{}, time.Now())
	want := besideAll(s)
	if len(want) != 3 || !want[0].run.IsZero() || want[1].run.IsZero() || want[2].run.IsZero() || want[1].spec == want[2].spec {
		t.Fatalf("wanted %+v", want)
	}
	var got besides
	near := &world.Nearby{Placement: want[0].placement}
	got.add(besideRead{beside: want[1], plan: &plan.Plan{Run: want[1].run}})
	if len(got.all) != 0 {
		t.Errorf("a plan alone: %+v", got.all)
	}
	got.add(besideRead{beside: want[0], near: near})
	got.add(besideRead{beside: want[2], plan: &plan.Plan{Run: want[2].run}})
	for _, v := range s.Runs {
		p := got.all[near.Placement].Plans[v.PlanSpec()]
		if p == nil || s.Find(p.Run).PlanSpec() != v.PlanSpec() {
			t.Errorf("%s has plan %+v", v.ID.Title(), p)
		}
	}
	w.Nearby = map[engine.ID]*world.Nearby{near.Placement: near}
	if s, _ = observe.Observe(s, w, world.Changed{All: true}, time.Now()); !s.Pending() || len(s.Missing) != 3 {
		t.Errorf("plans that were not read are not missing: %+v", s.Missing)
	}
}

// A read that hangs does not keep the reader from what is wanted next.
func TestNearbyTurnsToWhatIsWantedNow(t *testing.T) {
	asked := make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/slow") {
			once.Do(func() { close(asked) })
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	place := func(name string) engine.ID {
		return engine.NewID(engine.KindClusterResourcePlacement, "", name, "u")
	}
	got := make(chan engine.ID, 10)
	n := NewNearby(NewReader(hub), nil, false, func(all map[engine.ID]*world.Nearby) {
		for id := range all {
			got <- id
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); n.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	n.wantc <- []beside{{placement: place("slow")}}
	<-asked
	n.wantc <- []beside{{placement: place("fast")}}
	began := time.Now()
	if id := <-got; id.RawName() != "fast" || time.Since(began) > readDeadline/2 {
		t.Errorf("read %s after %s", id.Title(), time.Since(began))
	}
}

// A panic in what is read beside a placement reaches the one that reads, although more is
// wanted than is read at once.
func TestAPanicEndsTheRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := NewNearby(Reader{}, nil, false, nil) // without a hub every read panics
		var want []beside
		for i := range 2*besideAtOnce + 1 {
			want = append(want, beside{placement: engine.NewID(engine.KindClusterResourcePlacement, "", fmt.Sprint("web", i), "")})
		}
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "nil pointer") {
				t.Errorf("it ended with %v", v)
			}
		}()
		n.readNow(t.Context(), want)
		t.Error("it read without a hub")
	})
}
