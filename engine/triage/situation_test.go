package triage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// situation is one file of testdata: objects as a hub holds them, and what a
// person is told about them. Each is read in both scopes. The engine's own
// situations have the same form; what they want of the engine is not read here.
type situation struct {
	Now       string                      `json:"now"`
	Seen      string                      `json:"seen"`
	Want      map[string]any              `json:"want"`
	Run       placement.StagedUpdateRun   `json:"run"`
	Others    []placement.StagedUpdateRun `json:"others"`
	Approvals []placement.ApprovalRequest `json:"approvals"`
	Bindings  []bindingData               `json:"bindings"`
	Members   []memberData                `json:"members"`
	Placement *placementData              `json:"placement"`
	// Places are the names of other External placements.
	Places []string    `json:"places"`
	Nearby *nearbyData `json:"nearby"`
	Works  *worksData  `json:"works"`
}

// worksData are the Works on the hub of the cluster that a diagnosis reads them of.
type worksData struct {
	Cluster, Gap string
	Overrides    []world.OverrideUse
	Items        []struct {
		Name, Placement, Namespace, Binding string
		Deleting                            metav1.Time
		Finalizers                          []string
		Objects                             []placement.WorkResourceIdentifier
	}
}

// read returns them as they were read.
func (d *worksData) read(own engine.ID) *world.HubAnswer {
	out := &world.HubAnswer{Overrides: d.Overrides}
	if d.Gap != "" {
		out.Gap = &engine.Gap{What: engine.Textf("Works of %s", d.Cluster), Why: engine.Clean(d.Gap)}
	}
	for _, w := range d.Items {
		of := own
		if w.Placement != "" {
			of = engine.NewID(engine.KindClusterResourcePlacement, "", w.Placement, "")
			if w.Namespace != "" {
				of = engine.NewID(engine.KindResourcePlacement, w.Namespace, w.Placement, "")
			}
		}
		out.Works = append(out.Works, world.Work{
			ID: engine.NewID(engine.KindWork, "fleet-member-"+d.Cluster, w.Name, "u"), Placement: of, Binding: w.Binding,
			Deleting: w.Deleting.Time, Finalizers: w.Finalizers, Objects: w.Objects,
		})
	}
	return out
}

type bindingData struct {
	Cluster, State, SnapshotName string
	PolicyName                   string
	Overrides                    []string
	Apply                        *placement.ApplyStrategy // nil: that of the run
	Generation                   int64
	Deleting                     metav1.Time
	Conditions                   []metav1.Condition
	Failed                       []placement.FailedResourcePlacement
	Drifted, Differing           int
	Changes                      []world.ObjectChanges
	Finalizers                   []string
}

type memberData struct {
	Name              string
	Labels            map[string]string
	Conditions, Agent []metav1.Condition
	Heartbeat         metav1.Time
	Created, Deleting metav1.Time
	PeriodSeconds     int
}

// nearbyData is what is read beside a run.
type nearbyData struct {
	Strategies []*placement.StagedUpdateStrategy
	Resources  []placement.ResourceSnapshot
	Policies   []placement.SchedulingPolicySnapshot
	Apply      *placement.ApplyStrategy
	Policy     *placement.PlacementPolicy
}

type placementData struct {
	Clusters      int
	External      bool
	ObservedIndex string
	Conditions    []metav1.Condition
	Generation    int64
	Deleting      metav1.Time
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", "2026-03-02 "+s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// parsed are the files of testdata as JSON by name: YAML takes ten times as long to read
// as the objects take to decode.
var parsed sync.Map

func asJSON(t testing.TB, file string) []byte {
	t.Helper()
	if b, ok := parsed.Load(file); ok {
		return b.([]byte)
	}
	b, err := os.ReadFile(file)
	if err == nil {
		b, err = yaml.YAMLToJSONStrict(b)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	parsed.Store(file, b)
	return b
}

// decode makes an object of its own from what asJSON returns; a field that is not known
// is an error.
func decode(t testing.TB, file string, b []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func load(t testing.TB, dir string, least int) map[string]situation {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) < least {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	out := map[string]situation{}
	for _, f := range files {
		var s situation
		decode(t, f, asJSON(t, f), &s)
		if s.Placement == nil {
			s.Placement = &placementData{External: true}
		}
		out[strings.TrimSuffix(filepath.Base(f), ".yaml")] = s
	}
	return out
}

// world makes the World of a situation, and the run's ID. A namespaced one has
// ns, a cluster-scoped one "".
func (s *situation) world(t testing.TB, ns string) (*world.World, engine.ID) {
	t.Helper()
	w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Triage = Catalogue{}
	w.Link.State = engine.LinkLive
	w.Hub.Context = engine.Lit("hub a")
	kinds := []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindApprovalRequest, engine.KindClusterResourcePlacement, engine.KindResourcePlacement}
	if s.Members != nil {
		kinds = append(kinds, engine.KindMemberCluster)
	}
	for _, k := range kinds {
		w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
	}
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	add := func(run placement.StagedUpdateRun) engine.ID {
		run.Namespace = ns
		id := engine.NewID(kind, ns, run.Name, string(run.UID))
		w.Runs[id] = &run
		return id
	}
	id := add(s.Run)
	for _, o := range s.Others {
		add(o)
	}
	if s.Seen != "" {
		w.FirstSeen[id] = world.Seen{Generation: s.Run.Generation, At: moment(t, s.Seen)}
	}
	for _, a := range s.Approvals {
		a.Namespace = ns
		w.Approvals[engine.NewID(kind.InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest), ns, a.Name, string(a.UID))] = &a
	}
	key := engine.NewID(kind.InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement), ns, s.Run.Spec.PlacementName, "")
	if p := s.Placement; p != nil {
		pid := engine.NewID(key.Kind(), ns, s.Run.Spec.PlacementName, "u-p")
		row := &world.Placement{ID: pid, External: p.External, ObservedIndex: p.ObservedIndex, Clusters: p.Clusters, Conditions: p.Conditions, Generation: p.Generation, Deleting: p.Deleting.Time, Created: moment(t, "09:00:00")}
		if ns != "" {
			row.Conditions = nil
			for _, c := range p.Conditions {
				c.Type = strings.TrimPrefix(c.Type, "Cluster")
				row.Conditions = append(row.Conditions, c)
			}
		}
		w.Placements[pid] = row
	}
	for _, name := range s.Places {
		pid := engine.NewID(key.Kind(), ns, name, "u-"+name)
		w.Placements[pid] = &world.Placement{ID: pid, External: true}
	}
	if n := s.Nearby; n != nil {
		w.Nearby = map[engine.ID]*world.Nearby{key: {Placement: key, PlacementRead: true, Apply: n.Apply, Policy: n.Policy, Strategies: n.Strategies, Resources: n.Resources, Policies: n.Policies}}
	}
	if s.Works != nil {
		near := w.Nearby[key]
		if near == nil {
			near = &world.Nearby{Placement: key}
			w.Nearby = map[engine.ID]*world.Nearby{key: near}
		}
		read, member := s.Works.read(key), engine.NewID(engine.KindMemberCluster, "", s.Works.Cluster, "")
		near.Answers = map[engine.HubReadOf]*world.HubAnswer{{Member: member, What: engine.ReadWorks}: read, {Member: member, What: engine.ReadObjects}: read, {Member: member, What: engine.ReadOverrides}: read}
	}
	for _, m := range s.Members {
		if m.Labels == nil {
			m.Labels = s.recordedLabels(m.Name)
		}
		w.Members[m.Name] = &world.Member{
			ID: engine.NewID(engine.KindMemberCluster, "", m.Name, "u-"+m.Name), Labels: m.Labels, Conditions: m.Conditions, Agent: m.Agent,
			Heartbeat: m.Heartbeat.Time, Created: m.Created.Time, Deleting: m.Deleting.Time, Period: time.Duration(m.PeriodSeconds) * time.Second,
		}
	}
	if s.Bindings != nil {
		w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
		w.Bindings[key] = map[engine.ID]*world.Binding{}
		for _, b := range s.Bindings {
			bid := engine.NewID(kind.InScope(engine.KindClusterResourceBinding, engine.KindResourceBinding), ns, "shop-"+b.Cluster, "u-"+b.Cluster)
			w.Bindings[key][bid] = &world.Binding{
				ID: bid, Apply: cmp.Or(b.Apply, s.Run.Status.AppliedStrategy), Cluster: b.Cluster, State: b.State, SnapshotName: b.SnapshotName, PolicyName: b.PolicyName, Overrides: b.Overrides, Deleting: b.Deleting.Time,
				Generation: b.Generation, Conditions: b.Conditions, Failed: b.Failed,
				Drifted: b.Drifted, Differing: b.Differing, Changes: b.Changes, Finalizers: b.Finalizers,
			}
		}
	}
	w.Focus.Run = id
	return w, id
}

var scopes = map[string]string{"cluster": "", "namespaced": "team-a"}

// The engine's situations were written with the sentences that a person reads.
func TestSituationsOfTheEngine(t *testing.T) {
	for name, s := range load(t, "../internal/situation/testdata", 50) {
		for scope, ns := range scopes {
			t.Run(name+"/"+scope, func(t *testing.T) {
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				for what, got := range map[string]string{"what": d.What.String(), "recovery": d.RecoveryText.String(), "nextstep": d.Next.String(), "quote": d.Quote.String()} {
					want, _ := s.Want[what].(string)
					if !strings.Contains(got, want) {
						t.Errorf("%s: got %q, want it to hold %q", what, got, want)
					}
					if got == "" && what != "quote" {
						t.Errorf("%s is empty", what)
					}
				}
				whole(t, d)
				whys, _ := s.Want["why"].(map[string]any)
				for _, stage := range snap.Detail.Clusters {
					for _, c := range stage {
						if want, ok := whys[c.Name.String()]; ok && c.Why.String() != want {
							t.Errorf("why of %s: got %q, want %q", c.Name, c.Why, want)
						}
					}
				}
				if again, _ := observe.Observe(snap, w, world.Changed{}, moment(t, s.Now)); again.Find(id) != snap.Find(id) || again.Detail != snap.Detail {
					t.Error("a second look at the same World made new views")
				}
			})
		}
	}
}

// whole checks what any Diagnosis of a run has.
func whole(t *testing.T, d engine.Diagnosis) {
	t.Helper()
	if d.Cause.IsZero() || len(d.Steps) == 0 || d.Next != d.Steps[0] || d.Where.IsZero() || len(d.Path) == 0 || d.Since.IsZero() {
		t.Errorf("not whole: %+v", d)
	}
	for _, e := range d.Evidence {
		if strings.Contains(e.Field.String(), "stagesStatus[kubernetes-fleet.io/") {
			t.Errorf("evidence names a field that does not exist: %s", e.Field)
		}
	}
	if len(d.Evidence) == 0 || len(d.Commands) == 0 {
		t.Errorf("no evidence or no commands: %+v", d)
	}
	for _, c := range d.Commands {
		if !strings.HasPrefix(c.String(), "kubectl --context '") {
			t.Errorf("a command without context: %s", c)
		}
	}
}

func TestSentencesGetADayAtMidnight(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck"]
	w, id := s.world(t, "")
	late := moment(t, "23:55:00")
	snap, next := observe.Observe(nil, w, world.Changed{}, late)
	if got := snap.Find(id).Why.What.String(); !strings.Contains(got, "has not finished (stage prod, since 10:01:00 UTC)") {
		t.Errorf("on the same day: %q", got)
	}
	if want := moment(t, "00:00:00").AddDate(0, 0, 1); !next.Equal(want) {
		t.Errorf("look again at %s, want %s", next, want)
	}
	snap, _ = observe.Observe(snap, w, world.Changed{}, next)
	if got := snap.Find(id).Why.What.String(); !strings.Contains(got, "has not finished (stage prod, since 2 Mar 10:01 UTC)") {
		t.Errorf("a day later: %q", got)
	}
}

// What was not read is called so, whatever the reason, and no cause is made of it.
func TestUnreadBindingsAreNoCause(t *testing.T) {
	for _, c := range []struct {
		name string
		in   engine.Coverage
		want string
	}{
		{"not asked", engine.Coverage{}, "bindings are read when the run is opened"},
		{"loading", engine.Coverage{State: engine.CoverLoading, N: 3}, "bindings are still being read"},
		{"forbidden", engine.Coverage{State: engine.CoverForbidden}, "you may not read the placement's bindings"},
		{"not served", engine.Coverage{State: engine.CoverNotServed}, "this hub does not serve the placement's bindings"},
		{"failed", engine.Coverage{State: engine.CoverFailed, Why: engine.Lit("a 500")}, "could not be read (a 500)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for situation, cause := range map[string]engine.Cause{"stuck": catalogue.StuckUnknown.Cause, "preempted": catalogue.PreemptedUnread.Cause} {
				s := load(t, "../internal/situation/testdata", 50)[situation]
				w, id := s.world(t, "")
				key := engine.NewID(engine.KindClusterResourcePlacement, "", s.Run.Spec.PlacementName, "")
				w.Covered[world.CoverBindings(key)] = c.in
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				if d.Cause != cause || !strings.Contains(d.What.String(), c.want) || strings.HasPrefix(d.RecoveryText.String(), "Yes") {
					t.Errorf("%s: cause %s, what %q, recovery %q; want %s and %q", situation, d.Cause, d.What, d.RecoveryText, cause, c.want)
				}
			}
		})
	}
}

// Rows without a whole run have a Diagnosis too.
func TestBareRows(t *testing.T) {
	const kind = engine.KindClusterStagedUpdateRun
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	w.Triage = Catalogue{}
	for _, k := range []engine.Kind{kind, engine.KindClusterResourcePlacement} {
		w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
	}
	odd, printed := engine.NewID(kind, "", "odd", "u"), engine.NewID(kind, "", "new", "u")
	w.Broken[odd] = "cannot decode \x1b]0;spec: at 3\x07"
	w.Printed[printed] = world.PrintedRun{Placement: "web"}
	snap, _ := observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(odd).Why; d.Quote.String() != `cannot decode \x1b]0;spec: at 3\x07` || d.Cause != catalogue.Unreadable.Cause || len(d.Commands) != 1 {
		t.Errorf("an object that does not decode: %+v", d)
	}
	if d := snap.Find(printed).Why; d.What.IsZero() || d.Cause != catalogue.Loading.Cause {
		t.Errorf("a printed row: %+v", d)
	}

	delete(w.Broken, odd)
	p := engine.NewID(engine.KindClusterResourcePlacement, "", "shop", "u")
	row := &world.Placement{ID: p, External: true, Clusters: 3}
	w.Placements[p] = row
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; d.Cause != catalogue.NoRun.Cause || !strings.Contains(d.What.String(), "Its 3 clusters get no new snapshot") || d.Recovery != engine.RecoveryByPerson ||
		!strings.Contains(engine.Join(d.Steps, " ").String(), "(stagewatch clone RUN --placement shop; RUN is any run with the strategy to use)") {
		t.Errorf("a placement without a run: %+v", d)
	}
	// A run that failed initialization rolls nothing out.
	refused := &placement.StagedUpdateRun{}
	refused.Name, refused.Spec.PlacementName = "shop-r1", "shop"
	refused.Status.Conditions = []metav1.Condition{{Type: placement.RunInitialized, Status: "False", Message: "parent placement not found"}}
	run := engine.NewID(kind, "", "shop-r1", "u")
	w.Runs[run] = refused
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; d.Cause != catalogue.NoRun.Cause || !strings.Contains(d.What.String(), "No run rolls out placement shop (strategy External): run shop-r1 failed initialization.") ||
		!strings.Contains(d.Next.String(), "Open run shop-r1") {
		t.Errorf("a placement whose run failed initialization: %+v", d)
	}
	// What failed it may be repaired since.
	refused.Spec.StagedRolloutStrategyName = "rings"
	all := &placement.StagedUpdateStrategy{}
	all.Name, all.Spec.Stages = "rings", []placement.StageConfig{{Name: "all", LabelSelector: &metav1.LabelSelector{}, MaxConcurrency: &intstr.IntOrString{IntVal: 1}}}
	policy := placement.SchedulingPolicySnapshot{}
	policy.Name, policy.Labels = "shop-0", map[string]string{placement.LabelIsLatestSnapshot: "true", placement.LabelPolicyIndex: "0"}
	policy.Status.Conditions = []metav1.Condition{{Type: placement.PlacementScheduled, Status: "True"}}
	w.Covered[world.CoverBindings(p)] = engine.Coverage{State: engine.CoverComplete}
	w.Covered[world.CoverAll(engine.KindMemberCluster)] = engine.Coverage{State: engine.CoverComplete}
	w.Members["m1"] = &world.Member{ID: engine.NewID(engine.KindMemberCluster, "", "m1", "u")}
	binding := engine.NewID(engine.KindClusterResourceBinding, "", "shop-m1", "u")
	w.Bindings[p.Key()] = map[engine.ID]*world.Binding{binding: {ID: binding, Cluster: "m1", State: "Bound", PolicyName: "shop-0"}}
	w.Nearby = map[engine.ID]*world.Nearby{p.Key(): {Strategies: []*placement.StagedUpdateStrategy{all}, Policies: []placement.SchedulingPolicySnapshot{policy}}}
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.HasPrefix(d.Next.String(), "Open run shop-r1 to see what failed. Placement, policy, strategy, bindings and members now pass the checks of a new run") || d.NextActions[0] != engine.NextClone {
		t.Errorf("a repaired placement without a run: %s, %v", d.Next, d.NextActions)
	}
	// A cluster that has the newest snapshot may fail with it.
	b := w.Bindings[p.Key()][binding]
	b.SnapshotName, b.Conditions = "shop-1-snapshot", []metav1.Condition{{Type: placement.BindingApplied, Status: "False"}}
	w.Nearby[p.Key()].Resources = []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{Name: "shop-1-snapshot", Labels: map[string]string{placement.LabelResourceIndex: "1", placement.LabelIsLatestSnapshot: "true"}}}}
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.Contains(d.What.String(), "Its 1 cluster has snapshot 1, the newest. What was rolled out last fails on m1 (Applied False): a run with the same resources gets stuck there.") {
		t.Errorf("a placement whose cluster fails: %s", d.What)
	} else if !strings.HasPrefix(d.Steps[0].String(), "First find and fix what fails on m1 (Applied False)") || !strings.Contains(d.Commands[0].String(), "get clusterresourcebindings") {
		t.Errorf("a placement whose cluster fails: steps %q, commands %q", d.Steps, d.Commands)
	}
	b.SnapshotName, b.Conditions = "shop-0-snapshot", nil
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.Contains(d.What.String(), "1 of 1 cluster does not have snapshot 1 (created ") {
		t.Errorf("a placement whose cluster waits for a snapshot: %s", d.What)
	}
	w.Nearby[p.Key()].Resources = nil
	refused.Status.Conditions[0].Message = "invalid resource snapshot index `two` provided"
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; d.Next.String() != "Create a new run (stagewatch clone shop-r1) without a snapshot index: the controller then uses the newest snapshot. Run shop-r1 requested a snapshot that it could not use." {
		t.Errorf("a placement whose run asked for a snapshot that is none: %s", d.Next)
	}
	w.Nearby[p.Key()].Policies[0].Status.Conditions = nil
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.HasPrefix(d.Next.String(), "Fix this, then create a new run (stagewatch clone shop-r1): ") {
		t.Errorf("a placement whose policy is not scheduled: %s", d.Next)
	}
	w.Nearby[p.Key()].Policies[0].Status.Conditions = policy.Status.Conditions
	w.Nearby[p.Key()].Strategies[0].Name = "other"
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; d.Next.String() != "Fix this, or select another strategy for the new run (stagewatch clone shop-r1): strategy rings does not exist. Run shop-r1 failed for it." {
		t.Errorf("a placement without a run that is not repaired: %s", d.Next)
	}
	w.Placements[p].Deleting = time.Unix(1, 0)
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.HasPrefix(d.What.String(), "Placement shop is being deleted. ") || d.Next.String() != "Find out why placement shop is being deleted (requested at 00:00:01 UTC), which cannot be undone: its resources are removed from the clusters." ||
		slices.Contains(d.NextActions, engine.NextClone) || strings.Contains(engine.Join(d.Steps, " ").String(), "Fix this, or choose") {
		t.Errorf("a placement without a run that is being deleted: %s %q %v", d.What, d.Steps, d.NextActions)
	}
	w.Placements[p].Deleting = time.Time{}
	delete(w.Covered, world.CoverBindings(p))
	w.Bindings, w.Members = map[engine.ID]map[engine.ID]*world.Binding{}, map[string]*world.Member{}
	delete(w.Runs, run)
	newest := placement.ResourceSnapshot{}
	newest.Labels = map[string]string{placement.LabelResourceIndex: "2"}
	w.Nearby = map[engine.ID]*world.Nearby{p.Key(): {Resources: []placement.ResourceSnapshot{newest}}}
	w.Placements[p] = &world.Placement{ID: p, External: true}
	snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if d := snap.Find(p).Why; !strings.Contains(d.What.String(), "The placement has no binding; snapshot 2 ") {
		t.Errorf("a placement that picks no cluster: %s", d.What)
	}
	w.Nearby = nil
	for reason, want := range map[string]engine.Cause{"SchedulingPolicyUnfulfilled": catalogue.NotScheduledYet.Cause, "InvalidResourceSelectors": catalogue.BadSelectors.Cause} {
		scheduled := metav1.Condition{Type: "ClusterResourcePlacementScheduled", Status: "False", Reason: reason, Message: "could not find all the clusters needed as specified by the scheduling policy"}
		w.Placements[p] = &world.Placement{ID: p, External: true, Conditions: []metav1.Condition{scheduled}}
		snap, _ = observe.Observe(nil, w, world.Changed{}, time.Unix(1, 0))
		if d := snap.Find(p).Why; d.Cause != want || d.Quote.String() != scheduled.Message {
			t.Errorf("%s: %+v", reason, d)
		}
	}
}

// The controller may report a run as stuck before our threshold, and without the names of clusters:
// then one that is updating is why.
func TestStuckByAShorterThreshold(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-count-only-flavour"]
	w, id := s.world(t, "")
	w.Settings.StuckAfter = 24 * time.Hour
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	v := snap.Find(id)
	if v.Word != engine.WordStuck || v.Stuck > 0 || v.Updating == 0 {
		t.Fatalf("%s, %d stuck, %d updating", v.Word, v.Stuck, v.Updating)
	}
	if got := v.Why.What.String(); v.Why.Cause == catalogue.StuckUnnamed.Cause || !strings.Contains(got, "prod-") {
		t.Errorf("%s: %s", v.Why.Cause, got)
	}
}
