package triage

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// row is a case of a table that is named after a row of the facts.
type row struct {
	Row        string
	Base       string // a situation under testdata/objects, or engine/NAME
	Object     string
	Now        string
	Message    *string
	Older      []string // the same in texts of other ages
	Placement  *placementData
	Gone       bool // the placement does not exist
	Binding    *bindingData
	Works      *worksData
	Manifest   *struct{ Type, Reason, Message string }
	Members    []memberData
	State      string   // spec.state, against the base
	Finalizers []string // of the run
	Says       string   // reason of a Progressing False, against the base
	Outcome    string   // message of a Succeeded False of prod-2
	Coming     []string // clusters that are not started, against the base
	Competing  *struct {
		Index, State string
		Fresh        bool
	}
	Tell expected
}

// expected is what a Diagnosis has to hold: parts of texts, whole causes.
type expected struct {
	Cause, Recovery          string
	What, RecoveryText, Next string
	Quote, Where, Since      string
	Evidence, Steps          []string
	Also, Why, Absent        []string
	Commands, Namespaced     []string // with parts of command lines, by scope
	ClusterCauses            map[string]string
}

// expand writes upstream's prefixes out (head of docs/kubefleet.md).
func expand(s string) string {
	return strings.NewReplacer(
		"V: ", "cannot continue the updateRun: failed to validate the updateRun: ",
		"V, ", "cannot continue the updateRun: failed to validate the updateRun, ",
		"A: ", "cannot continue the updateRun: ",
		"U: ", "failed to process the request due to a client error: ",
		"X: ", "unexpected behavior which cannot be handled by the controller: ",
		"E: ", "expected behavior which can be recovered by itself: ",
	).Replace(s)
}

func readRows(t testing.TB, name string) []row {
	t.Helper()
	var rows []row
	decode(t, name, asJSON(t, "testdata/"+name), &rows)
	return rows
}

// situation makes the objects of a row; message stands in for its text.
func (r *row) situation(t testing.TB, base, message string) *situation {
	t.Helper()
	file := "testdata/objects/" + base + ".yaml"
	if name, ok := strings.CutPrefix(base, "engine/"); ok {
		file = "../internal/situation/testdata/" + name + ".yaml"
	}
	quoted, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	var s situation
	decode(t, file, bytes.ReplaceAll(asJSON(t, file), []byte(`"${MESSAGE}"`), quoted), &s)
	if r.Now != "" {
		s.Now = r.Now
	}
	s.Members, s.Placement, s.Works = r.Members, r.Placement, r.Works
	if s.Placement == nil && !r.Gone {
		s.Placement = &placementData{External: true}
	}
	if b := r.binding(message); b != nil {
		s.Bindings = []bindingData{*b}
	}
	for i := range s.Run.Status.StagesStatus {
		for j := range s.Run.Status.StagesStatus[i].Clusters {
			c := &s.Run.Status.StagesStatus[i].Clusters[j]
			if slices.Contains(r.Coming, c.ClusterName) {
				c.Conditions = nil
			}
			if r.Outcome != "" && c.ClusterName == "prod-2" {
				c.Conditions = append(c.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: "False", Reason: "ClusterUpdatingFailed", Message: r.Outcome})
			}
		}
	}
	if r.Finalizers != nil {
		s.Run.Finalizers = r.Finalizers
	}
	if r.State != "" {
		s.Run.Spec.State = placement.State(r.State)
	}
	for i := range s.Run.Status.Conditions {
		if c := &s.Run.Status.Conditions[i]; r.Says != "" && c.Type == placement.RunProgressing {
			c.Status, c.Reason = "False", r.Says
		}
	}
	if r.Competing != nil {
		other := s.Run.DeepCopy()
		other.Name, other.UID = "r2", "u-r2"
		other.Status.ResourceSnapshotIndexUsed, other.Spec.State = r.Competing.Index, placement.State(r.Competing.State)
		if r.Competing.Fresh {
			for i := range other.Status.StagesStatus {
				st := &other.Status.StagesStatus[i]
				st.Conditions, st.StartTime = nil, nil
				for j := range st.Clusters {
					st.Clusters[j].Conditions = nil
				}
			}
			other.Status.Conditions = other.Status.Conditions[:1]
		}
		s.Others = append(s.Others, *other)
	}
	return &s
}

// binding fills in what every binding of these tables has.
func (r *row) binding(message string) *bindingData {
	if r.Binding == nil && r.Manifest == nil {
		return nil
	}
	b := bindingData{}
	if r.Binding != nil {
		b = *r.Binding
	}
	if b.Cluster == "" {
		b.Cluster = "prod-2"
	}
	if b.State == "" {
		b.State = "Bound"
	}
	b.SnapshotName, b.Generation = "shop-3-snapshot", 2
	at := metav1.Time{Time: time.Date(2026, 3, 2, 10, 2, 0, 0, time.UTC)}
	conds := slices.Clone(b.Conditions)
	if m := r.Manifest; m != nil {
		reason := map[string]string{"Applied": "NotAllWorkHaveBeenApplied", "Available": "NotAllWorkAreAvailable", "DiffReported": "NotAllWorkHaveDiffReported"}[m.Type]
		conds = append(conds, metav1.Condition{Type: m.Type, Status: "False", Reason: reason, Message: "Work object shop-work has trouble"})
		f := placement.FailedResourcePlacement{Condition: metav1.Condition{Type: m.Type, Status: "False", Reason: m.Reason, Message: m.Message, LastTransitionTime: at}}
		f.Group, f.Version, f.Kind, f.Namespace, f.Name = "apps", "v1", "Deployment", "web", "front"
		if message != "" {
			f.Condition.Message = message
		}
		b.Failed = append([]placement.FailedResourcePlacement{f}, b.Failed...)
	} else if message != "" {
		conds[len(conds)-1].Message = message
	}
	if !slices.ContainsFunc(conds, func(c metav1.Condition) bool { return c.Type == placement.BindingRolloutStarted }) {
		conds = append(conds, metav1.Condition{Type: placement.BindingRolloutStarted, Status: "True", Reason: "RolloutStarted", Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 3, updateRun: r1"})
	}
	for i := range conds {
		if conds[i].ObservedGeneration == 0 {
			conds[i].ObservedGeneration = 2
		}
		if conds[i].LastTransitionTime.IsZero() {
			conds[i].LastTransitionTime = at
			if conds[i].Type == placement.BindingRolloutStarted {
				conds[i].LastTransitionTime.Time = at.Add(-time.Minute)
			}
		}
	}
	b.Conditions = conds
	return &b
}

func TestFacts51(t *testing.T) {
	runRows(t, "facts-5.1.yaml", "refused", "10:30:00", 36)
}

func TestFacts52(t *testing.T) {
	runRows(t, "facts-5.2.yaml", "", "", 39)
}

func TestFacts53(t *testing.T) {
	runRows(t, "facts-5.3.yaml", "flight", "10:04:00", 60)
}

func runRows(t *testing.T, file, base, now string, least int) {
	t.Helper()
	rows := readRows(t, file)
	if len(rows) < least {
		t.Errorf("%d rows, want %d or more", len(rows), least)
	}
	for i := range rows {
		r := &rows[i]
		if r.Base == "" {
			r.Base = base
		}
		if r.Now == "" {
			r.Now = now
		}
		texts := []string{""}
		if r.Message != nil {
			texts[0] = expand(*r.Message)
		}
		for _, o := range r.Older {
			texts = append(texts, expand(o))
		}
		for n, text := range texts {
			for scope, ns := range scopes {
				name := r.Row + "/" + scope
				if n > 0 {
					name += "/another age"
				}
				t.Run(name, func(t *testing.T) {
					s := r.situation(t, r.Base, text)
					w, id := s.world(t, ns)
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
					d := snap.Find(id).Why
					whole(t, d)
					r.Tell.check(t, snap, &d, ns, n > 0)
					if n == 0 && r.Message != nil && d.Quote != engine.Clean(text) {
						t.Errorf("the hub's message is not quoted whole: %q", d.Quote)
					}
				})
			}
		}
	}
}

// check compares; another age of a text may be worded otherwise in places.
func (e *expected) check(t *testing.T, snap *engine.Snapshot, d *engine.Diagnosis, ns string, another bool) {
	t.Helper()
	plain := strings.NewReplacer("team-a/", "", "StagedUpdateRun", "Run", "ClusterStagedUpdateRun", "Run", "ClusterResource", "Resource", "ClusterApproval", "Approval")
	holds := func(what, got, want string) {
		t.Helper()
		got, want = plain.Replace(got), plain.Replace(want)
		if !strings.Contains(strings.ReplaceAll(got, "ClusterRun", "Run"), strings.ReplaceAll(want, "ClusterRun", "Run")) {
			t.Errorf("%s: got %q, want it to hold %q", what, got, want)
		}
	}
	if e.Cause != "" && d.Cause.String() != e.Cause {
		t.Errorf("cause: got %s, want %s (%s)", d.Cause, e.Cause, d.What)
	}
	if e.Recovery != "" && d.Recovery.String() != e.Recovery {
		t.Errorf("recovery: got %s, want %s", d.Recovery, e.Recovery)
	}
	holds("recovery text", d.RecoveryText.String(), e.RecoveryText)
	holds("next", d.Next.String(), e.Next)
	if !another {
		holds("what", d.What.String(), e.What)
		holds("quote", d.Quote.String(), e.Quote)
	}
	holds("where", d.Where.String(), e.Where)
	if e.Since != "" && !d.Since.Equal(moment(t, e.Since)) {
		t.Errorf("since: got %s, want %s", d.Since, e.Since)
	}
	var evidence []string
	for _, v := range d.Evidence {
		evidence = append(evidence, v.Object.String()+" "+v.Field.String()+": "+v.Value.String())
	}
	list := func(what, got string, want []string) {
		t.Helper()
		for _, w := range want {
			holds(what, got, w)
		}
	}
	list("evidence", strings.Join(evidence, "\n"), e.Evidence)
	list("steps", engine.Join(d.Steps, "\n").String(), e.Steps)
	commands := e.Commands
	if ns != "" && e.Namespaced != nil {
		commands = e.Namespaced
	}
	if ns == "" || e.Namespaced != nil {
		for _, c := range commands {
			if !strings.Contains(engine.Join(d.Commands, "\n").String(), c) {
				t.Errorf("commands: got %q, want one with %q", d.Commands, c)
			}
		}
	}
	for _, a := range e.Absent {
		if strings.Contains(d.What.String(), a) {
			t.Errorf("what: %q speaks of %q", d.What, a)
		}
	}
	for _, a := range e.Also {
		if !slices.ContainsFunc(d.Also, func(f engine.Finding) bool { return f.Cause.String() == a }) {
			t.Errorf("also: got %v, want %s among them", d.Also, a)
		}
	}
	whys := ""
	for _, stage := range snap.Detail.Clusters {
		for _, c := range stage {
			whys += c.Why.String() + "\n"
			if want, ok := e.ClusterCauses[c.Name.String()]; ok && c.Diagnosis.Cause.String() != want {
				t.Errorf("cause of %s: got %s, want %s", c.Name, c.Diagnosis.Cause, want)
			}
		}
	}
	list("why of clusters", whys, e.Why)
}
