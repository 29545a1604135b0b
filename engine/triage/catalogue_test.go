package triage

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

var update = flag.Bool("update", false, "write docs/causes.md")

// told collects the causes of a Snapshot.
func told(seen map[string]bool, snap *engine.Snapshot) {
	note := func(d *engine.Diagnosis) {
		seen[d.Cause.String()] = true
		for _, a := range d.Also {
			seen[a.Cause.String()] = true
		}
	}
	for _, v := range snap.Runs {
		note(&v.Why)
	}
	if snap.Detail == nil {
		return
	}
	for _, stage := range snap.Detail.Clusters {
		for i := range stage {
			note(&stage[i].Diagnosis)
		}
	}
}

func allSituations(t testing.TB) map[string]*situation {
	t.Helper()
	out := map[string]*situation{}
	for name, s := range load(t, "../internal/situation/testdata", 50) {
		out["engine/"+name] = &s
	}
	for file, d := range map[string][2]string{"facts-5.1.yaml": {"refused", "10:30:00"}, "facts-5.2.yaml": {"", ""}, "facts-5.3.yaml": {"flight", "10:04:00"}} {
		rows := readRows(t, file)
		for i := range rows {
			r := &rows[i]
			if r.Base == "" {
				r.Base = d[0]
			}
			if r.Now == "" {
				r.Now = d[1]
			}
			text := ""
			if r.Message != nil {
				text = expand(*r.Message)
			}
			out[r.Row] = r.situation(t, r.Base, text)
		}
	}
	return out
}

func TestEveryCauseHasACase(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range allSituations(t) {
		w, _ := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		told(seen, snap)
	}
	// Rows without a whole run, and runs that are not initialized, have tests of
	// their own.
	for _, e := range []*catalogue.Entry{&catalogue.InitRetried, &catalogue.VersionNotWatched, &catalogue.InitFails, &catalogue.DoneFailing, &catalogue.DoneReplaced, &catalogue.PlacementDeleting, &catalogue.ClustersLeft, &catalogue.StoppedDone, &catalogue.BindingRecreated, &catalogue.PreemptedInactive, &catalogue.PreemptedRestored, &catalogue.ApprovalDeleting, &catalogue.WillFail, &catalogue.NotContinued, &catalogue.NoRun, &catalogue.NotScheduledYet, &catalogue.BadSelectors, &catalogue.LastDeleted, &catalogue.Unreadable, &catalogue.Loading} {
		seen[e.Cause.String()] = true
	}
	// And so have pods, which no object of the hub commands: TestPodReasons.
	for _, e := range catalogue.OnPods() {
		seen[e.Cause.String()] = true
	}
	for _, e := range catalogue.Entries() {
		if !seen[e.Cause.String()] {
			t.Errorf("no case for %s", e.Cause)
		}
	}
}

// No other manifest avoids what is wrong with the member: no step and no action creates a run for it.
func TestCausesThatNoManifestAvoids(t *testing.T) {
	for _, name := range []string{"webhook-unreachable", "namespace-terminating", "member-api-busy"} {
		i := slices.IndexFunc(catalogue.ManifestCauses, func(c catalogue.ManifestCause) bool { return c.Cause.String() == name })
		c := &catalogue.ManifestCauses[i]
		if c.Pinned || catalogue.Versioned[c.Cause] || slices.Contains(c.Actions(), engine.NextClone) || slices.Contains(c.Actions(), engine.NextDiff) {
			t.Errorf("%s: pinned %v, actions %v", name, c.Pinned, c.Actions())
		}
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	slug := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	names := map[string]bool{}
	for _, e := range catalogue.Entries() {
		name := e.Cause.String()
		if !slug.MatchString(name) || names[name] {
			t.Errorf("cause %q", name)
		}
		names[name] = true
		if e.Title == "" || e.Sign == "" || strings.HasSuffix(e.Title, ".") {
			t.Errorf("%s lacks a title or a signature", name)
		}
		if n := len(e.Short); n < 2 || n > 36 || strings.ContainsAny(e.Short, ".:") {
			t.Errorf("%s has the short form %q", name, e.Short)
		}
		for _, step := range e.Steps.Texts() { // any other annotation counts as drift with FullComparison
			if strings.Contains(step.String(), "annotate") && !strings.Contains(step.String(), " kubernetes.io/") {
				t.Errorf("%s: an annotation without kubernetes.io/: %s", name, step)
			}
		}
	}
}

func TestShortNamesWhatTheCauseIsAbout(t *testing.T) {
	path := []engine.Hop{
		{Level: engine.Lit("run"), Name: engine.Lit("web-r2")},
		{Level: engine.Lit("stage"), Name: engine.Lit("prod")},
		{Level: engine.Lit("cluster"), Name: engine.Lit("weu-prod-3")},
		{Level: engine.Lit("manifest"), Name: engine.Lit("Deployment web/web")},
	}
	for _, tt := range []struct {
		cause engine.Cause
		path  []engine.Hop
		want  string
	}{
		{engine.Cause("rejected-by-webhook"), path, "admission denied Deployment on weu-prod-3"},
		{engine.Cause("approval-before-stage"), path[:2], "approve before prod"},
		{engine.Cause("strategy-missing"), path[:1], "strategy does not exist"},
		{engine.Cause("stopped"), []engine.Hop{{Level: engine.Lit("stage"), Name: engine.Clean(placement.DeletionStageName)}}, "stopped before the deletion stage is done"},
		{engine.Cause("rejected-by-webhook"), nil, "admission denied object"},
		{engine.Cause("approval-after-stage"), nil, "approve after its stage"},
		{engine.Cause("no-such-cause"), path, ""},
		{"", path, ""},
	} {
		if got := catalogue.Short(tt.cause, tt.path, false).String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.cause, got, tt.want)
		}
	}
}

// document writes the catalogue as a table: cause, signature, remedy.
func document() string {
	var b strings.Builder
	b.WriteString("# Causes\n\nWhy a run is not progressing: the causes that stagewatch recognises, how it recognises them, and the next steps. Generated from the catalogue in\n" +
		"`engine/triage` by `go generate ./engine/triage`; a test fails when it differs. A message that is not in it is shown whole and called unknown.\n\n" +
		"Recovery: `automatic`: recovers automatically; `member-fix`: the same run recovers after a fix on the member; `hub-fix`: the same run\n" +
		"recovers after a fix on the hub; `person`: needs a person; `new-run`: needs a new run, after the cause is gone; `not-needed`; `unknown`.\n")
	group := func(title string, list []*catalogue.Entry) {
		fmt.Fprintf(&b, "\n## %s\n\n| Cause | What it is | Recognised by | Recovery | Next steps |\n|---|---|---|---|---|\n", title)
		for _, e := range list {
			steps := engine.Join(e.Steps.Texts(), " ").String()
			if steps == "" {
				steps = e.RecoveryText.Text().String()
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Cause, cell(e.Title), cell(e.Sign), e.Recovery, cell(steps))
		}
	}
	var failed []*catalogue.Entry
	for i := range catalogue.Failures {
		failed = append(failed, &catalogue.Failures[i].Entry)
	}
	group("The run failed, or failed initialization", failed)
	group("The run waits, or seems to wait", catalogue.OnRuns())
	group("A cluster does not finish: its binding", catalogue.OnBindings())
	group("A cluster does not finish: a manifest", catalogue.OnManifests())
	group("A cluster does not finish: its pods, read from the member", catalogue.OnPods())
	group("A cluster does not finish: its member", catalogue.OnMembers)
	return b.String()
}

func cell(s string) string {
	if s == "" {
		return "–"
	}
	return strings.ReplaceAll(s, "|", `\|`)
}

func TestEveryCauseHasNextSteps(t *testing.T) {
	var all []*catalogue.Entry
	for i := range catalogue.Failures {
		all = append(all, &catalogue.Failures[i].Entry)
	}
	for _, e := range slices.Concat(all, catalogue.OnRuns(), catalogue.OnBindings(), catalogue.OnManifests(), catalogue.OnPods(), catalogue.OnMembers) {
		if len(e.Steps) == 0 {
			t.Errorf("%s has no next step", e.Cause)
		}
	}
}

func TestDocument(t *testing.T) {
	const file = "../../docs/causes.md"
	want := document()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/causes.md differs from the catalogue: go generate ./engine/triage")
	}
}

// words are what hostile or future hubs may write anywhere.
var words = []string{
	"", "Hexed", "\x1b]0;x\x07", "\u202eevil", "True", "RolloutStarted", "NotAllWorkAreAvailable", "ManifestApplyFailed", "FailedToTakeOver",
	"exceeded quota", "doc is missing path", "cluster `", "cluster `x` appears in more than one stages", "the sorting label `:` on cluster `\x00` is not valid",
	"some clusters are not placed in any stage, total 1, showing up to 10: ,,,...", "the approval request task `` is targeting update run `` and stage ``",
	strings.Repeat("é\u200b", 4000), "UpdateRunStuck", "Applied", "Available", "DiffReported", "Overridden", "WorkSynchronized", "%s%d%!", "'; rm -rf /; '",
}

type mangler struct{ *rand.Rand }

func (m mangler) word() string { return words[m.IntN(len(words))] }

func (m mangler) conds(in []metav1.Condition) []metav1.Condition {
	out := slices.Clone(in)
	for range m.IntN(3) {
		if len(out) == 0 {
			out = append(out, metav1.Condition{Type: m.word(), Status: "False"})
		}
		c := &out[m.IntN(len(out))]
		switch m.IntN(7) {
		case 0:
			c.Type = m.word()
		case 1:
			c.Reason = m.word()
		case 2, 3:
			c.Message = m.word()
		case 4:
			c.Status = metav1.ConditionStatus([]string{"True", "False", "Unknown", "", "x"}[m.IntN(5)])
		case 5:
			c.LastTransitionTime = metav1.Time{Time: time.Unix(m.Int64N(1<<34), 0)}
		case 6:
			out = append(out, *c)
		}
	}
	return out
}

func (m mangler) world(w *world.World) {
	for id, r := range w.Runs {
		r = r.DeepCopy()
		r.Status.Conditions = m.conds(r.Status.Conditions)
		for i := range r.Status.StagesStatus {
			s := &r.Status.StagesStatus[i]
			s.Conditions = m.conds(s.Conditions)
			for j := range s.Clusters {
				s.Clusters[j].Conditions = m.conds(s.Clusters[j].Conditions)
				if m.IntN(20) == 0 {
					s.Clusters[j].ClusterName = m.word()
				}
			}
		}
		if m.IntN(8) == 0 {
			r.Status.DeletionStageStatus = nil
		}
		if m.IntN(8) == 0 {
			r.Status.ResourceSnapshotIndexUsed = m.word()
			r.Spec.StagedRolloutStrategyName = m.word()
		}
		w.Runs[id] = r
	}
	for _, bs := range w.Bindings {
		for id, b := range bs {
			c := *b
			c.Conditions = m.conds(c.Conditions)
			c.Failed = slices.Clone(c.Failed)
			for i := range c.Failed {
				f := &c.Failed[i]
				switch m.IntN(5) {
				case 0:
					f.Condition.Reason = m.word()
				case 1:
					f.Condition.Message = m.word()
				case 2:
					f.Kind, f.Name = m.word(), m.word()
				case 3:
					f.Condition.Type = m.word()
				}
			}
			if m.IntN(6) == 0 {
				c.State = m.word()
			}
			bs[id] = &c
		}
	}
	for name, old := range w.Members {
		c := *old
		c.Conditions = m.conds(c.Conditions)
		if m.IntN(4) == 0 {
			c.Heartbeat = time.Time{}
		}
		w.Members[name] = &c
	}
}

// unsafeRunes are what no Text may hold.
var unsafeRunes = regexp.MustCompile(`[\x00-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}]`)

// recoveries are what a recovery sentence begins with.
var recoveries = map[engine.Recovery]string{
	engine.RecoveryUnknown: "Unknown", engine.RecoveryNotNeeded: "No recovery needed", engine.RecoveryAutomatic: "Recovers automatically",
	engine.RecoveryOnMember: "After a fix on the member", engine.RecoveryOnHub: "After a fix on the hub",
	engine.RecoveryByPerson: "Needs a person", engine.RecoveryByNewRun: "Needs a new run",
}

// startsWithRecovery reports whether a recovery sentence begins with the words of
// its value.
func startsWithRecovery(h engine.Recovery, says engine.Text) bool {
	return says.IsZero() || strings.HasPrefix(says.String(), recoveries[h])
}

func TestRecoveryBeginsWithItsWords(t *testing.T) {
	for _, e := range catalogue.Entries() {
		if !startsWithRecovery(e.Recovery, e.RecoveryText.Text()) {
			t.Errorf("%s: %s: %s", e.Cause, e.Recovery, e.RecoveryText.Text())
		}
	}
	for name, s := range allSituations(t) {
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		all := []engine.Diagnosis{snap.Find(id).Why}
		if snap.Detail != nil {
			for _, stage := range snap.Detail.Clusters {
				for i := range stage {
					all = append(all, stage[i].Diagnosis)
				}
			}
		}
		for i := range all {
			d := &all[i]
			if !startsWithRecovery(d.Recovery, d.RecoveryText) || d.RecoveryText.IsZero() && d.Recovery != engine.RecoveryUnknown {
				t.Errorf("%s: %s: %s: %q", name, d.Cause, d.Recovery, d.RecoveryText)
			}
		}
	}
}

func checkTexts(t *testing.T, d *engine.Diagnosis) {
	t.Helper()
	if !startsWithRecovery(d.Recovery, d.RecoveryText) {
		t.Fatalf("%s: recovery %s: %q", d.Cause, d.Recovery, d.RecoveryText)
	}
	texts := []engine.Text{d.What, d.RecoveryText, d.Next, d.Quote, d.Where}
	texts = append(texts, d.Steps...)
	texts = append(texts, d.Commands...)
	for _, e := range d.Evidence {
		texts = append(texts, e.Object, e.Field, e.Value)
	}
	for _, h := range d.Path {
		texts = append(texts, h.Level, h.Name, h.State)
	}
	for _, x := range texts {
		if unsafeRunes.MatchString(x.String()) || strings.Contains(x.String(), "%!") && !strings.Contains(x.String(), "%s%d%!") {
			t.Fatalf("not a safe text: %q", x)
		}
	}
}

// hammer mangles situations. Whatever comes out has a cause or says unknown,
// holds nothing unsafe, and never calls a run done that is not.
func hammer(t *testing.T, all map[string]*situation, names []string, seed uint64, rounds int) {
	t.Helper()
	m := mangler{rand.New(rand.NewPCG(seed, 11))}
	for range rounds {
		s := all[names[m.IntN(len(names))]]
		w, id := s.world(t, []string{"", "team-a"}[m.IntN(2)])
		m.world(w)
		now := moment(t, s.Now).Add(time.Duration(m.IntN(3600)) * time.Second)
		snap, next := observe.Observe(nil, w, world.Changed{}, now)
		if !next.IsZero() && !next.After(now) {
			t.Fatalf("look again at %s, which is not after %s", next, now)
		}
		v := snap.Find(id)
		if v == nil || v.Why.What.IsZero() || v.Why.Cause.IsZero() {
			t.Fatalf("nothing is said of %+v", v)
		}
		if v.Why.Cause == catalogue.Done.Cause && v.Word != engine.WordDone {
			t.Fatalf("%s is called done", v.Word)
		}
		if v.Terminal && v.Word != engine.WordDone && v.Word != engine.WordDeleting && v.Why.Recovery != engine.RecoveryByNewRun {
			t.Fatalf("%s recovers by %s", v.Word, v.Why.Recovery)
		}
		for _, r := range snap.Runs {
			checkTexts(t, &r.Why)
		}
		for _, stage := range snap.Detail.Clusters {
			for i := range stage {
				checkTexts(t, &stage[i].Diagnosis)
			}
		}
	}
}

func sorted(all map[string]*situation) []string {
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func TestOddObjects(t *testing.T) {
	all := allSituations(t)
	hammer(t, all, sorted(all), 1, 4000)
}

func FuzzTriage(f *testing.F) {
	all := allSituations(f)
	names := sorted(all)
	f.Add(uint64(2))
	f.Fuzz(func(t *testing.T, seed uint64) { hammer(t, all, names, seed, 20) })
}
