package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/stagewatch/stagewatch"

// importRow is a row of the table of allowed imports (docs/architecture.md#imports):
// what the packages under a path may import beside the standard library and their
// own row, and what their tests may import in addition. An entry allows the
// package it names and everything below it, unless it ends in "$".
type importRow struct {
	path  string
	may   []string
	tests []string
}

// Sets of imports that several rows share.
var (
	apimachinery  = []string{"k8s.io/apimachinery"}
	api           = []string{module + "/api"}
	engineOnly    = []string{module + "/engine$", module + "/engine/message", module + "/engine/shell"}
	world         = []string{module + "/engine/world"}
	plan          = []string{module + "/engine/plan"}
	runref        = []string{module + "/engine/runref"}
	columns       = []string{module + "/engine/column"}
	selectors     = []string{module + "/engine/selector"}
	fields        = []string{module + "/engine/field"}
	observe       = []string{module + "/engine/observe"}
	act           = []string{module + "/engine/act"}
	page          = []string{module + "/engine/page"}
	triage        = []string{module + "/engine/triage"}
	drive         = []string{module + "/engine/drive"}
	forecast      = []string{module + "/engine/forecast"}
	recheck       = []string{module + "/engine/recheck"}
	evidence      = []string{module + "/engine/evidence"}
	applyStrategy = []string{module + "/engine/applystrategy"}
	situation     = []string{module + "/engine/internal/situation"}
	rollout       = []string{module + "/engine/internal/rollout"}
	charm         = []string{"charm.land", "github.com/charmbracelet"}
	// klog and utils are what client-go itself takes in its signatures.
	clientGo = []string{"k8s.io/client-go", "k8s.io/klog/v2", "k8s.io/utils"}
	yaml     = []string{"sigs.k8s.io/yaml"}
	// proof is what any test may use; none of it runs in a program.
	proof = []string{
		"pgregory.net/rapid", "go.uber.org/goleak", "github.com/rogpeppe/go-internal",
		"github.com/google/go-cmp", "sigs.k8s.io/yaml",
	}
	// hubParts is what the API server takes in its signatures, and what has to
	// be told to be quiet.
	hubParts = []string{
		"go.uber.org/zap", "google.golang.org/grpc", "github.com/go-logr/logr",
		"go.opentelemetry.io/otel", "sigs.k8s.io/structured-merge-diff/v6",
	}
	uiTheme = []string{module + "/ui/theme"}
	uiCell  = []string{module + "/ui/cell"}
	// uiParts are what components of the screen are made of.
	uiParts     = []string{module + "/ui/scene", module + "/ui/label", module + "/ui/latest", module + "/ui/field", module + "/ui/list", module + "/ui/filter", module + "/ui/stages", module + "/ui/reasons"}
	uiSituation = []string{module + "/ui/internal/situation"}
	watchClient = []string{module + "/watch/client"}
	jsonPath    = []string{module + "/watch/jsonpath"}
	watchApart  = []string{module + "/watch/client/apart"}
	watchStore  = []string{module + "/watch/store"}
	watchLink   = []string{module + "/watch/link"}
	watchTask   = []string{module + "/watch/internal/task"}
	watchIntern = []string{module + "/watch/internal/intern"}
	watchMemory = []string{module + "/watch/internal/memory"}
	watchFaults = []string{module + "/watch/faults"}
	keys        = []string{module + "/keymap"}
	fuzzy       = []string{"github.com/sahilm/fuzzy"}
	terminal    = []string{"github.com/creack/pty", "github.com/hinshun/vt10x", "golang.org/x/sys"}
	demoStore   = []string{module + "/demo/store"}
	jsonPatch   = []string{"gopkg.in/evanphx/json-patch.v4"}
	demoHub     = []string{module + "/demo/hub", module + "/api"}
)

func importTable() []importRow {
	list := func(sets ...[]string) []string { return slices.Concat(sets...) }
	return []importRow{
		{path: "api", may: list(apimachinery), tests: list(proof, demoHub, clientGo, []string{"k8s.io/apiextensions-apiserver"})},
		// What keeps a new run from starting is what its plan says.
		{path: "engine/triage", may: list(engineOnly, world, plan, drive, forecast, applyStrategy, api, apimachinery), tests: list(proof, observe, act, evidence)},
		{path: "engine/observe", may: list(engineOnly, evidence, fields, world, recheck, api, apimachinery), tests: list(proof, situation, act, []string{module + "/engine/column"})},
		{path: "engine/act", may: list(engineOnly, api, apimachinery), tests: list(proof, situation, observe, world, triage)},
		// Two snapshots are compared as kubectl diff does: YAML, and a diff library.
		{path: "engine/page/snapshots", may: list(engineOnly, world, page, api, yaml, []string{"github.com/aymanbagabas/go-udiff"}), tests: proof},
		{path: "engine/page/inbox", may: list(engineOnly, page, act, api), tests: list(proof, apimachinery)},
		{path: "engine/page/tally", may: list(engineOnly, page, api, []string{module + "/engine/message"}), tests: proof},
		{path: "engine/page/timeline", may: list(engineOnly, page, api, apimachinery), tests: proof},
		{path: "engine/page/workload", may: list(engineOnly, world, page), tests: proof},
		{path: "engine/page", may: list(engineOnly, act, world, plan, api, apimachinery), tests: list(proof, page, situation, observe, triage, []string{module + "/engine/internal/corrupt"})},
		// The objects of many situations, for the tests of the engine tree.
		{path: "engine/internal/situation", may: list(engineOnly, world, api, apimachinery, yaml), tests: proof},
		// One run on a hub in memory, for the tests of the rules and the forecast.
		{path: "engine/internal/rollout", may: list(engineOnly, drive, api, apimachinery, yaml, []string{module + "/engine/internal/corrupt"}), tests: proof},
		{path: "engine/drive", may: list(engineOnly, api, apimachinery), tests: list(proof, drive, rollout)},
		{path: "engine/shell", may: []string{module + "/engine$"}, tests: proof},
		{path: "engine/applystrategy", may: list(engineOnly, api), tests: proof},
		{path: "engine/evidence", may: engineOnly, tests: proof},
		{path: "engine/recheck", may: list(api, apimachinery), tests: proof},
		{path: "engine/forecast", may: list(engineOnly, plan, drive, recheck, applyStrategy, api, apimachinery), tests: list(proof, rollout)},
		{path: "engine/world", may: list(engineOnly, plan, api, apimachinery), tests: proof},
		{path: "engine/plan", may: engineOnly, tests: proof},
		{path: "engine/identity", may: list(engineOnly, api), tests: proof},
		{path: "engine/runref", may: engineOnly, tests: proof},
		{path: "engine/selector", may: list(engineOnly, apimachinery), tests: proof},
		{path: "engine/field", tests: proof},
		{path: "engine/column", may: list(engineOnly, fields), tests: proof},
		// Names that exist are listed by their distance to the one that was meant.
		{path: "engine/message", tests: proof},
		{path: "engine/internal/keymark", tests: proof},
		{path: "engine", may: list(api, apimachinery, []string{module + "/engine/message", module + "/engine/internal/keymark"}, []string{"github.com/agnivade/levenshtein"}), tests: proof},
		// The parts below the face of the watch tree do not know each other, except
		// that streams fill the store, and that ask reads members.
		{path: "watch/internal/task", tests: proof},
		{path: "watch/internal/memory", may: list(engineOnly, watchIntern), tests: list(proof, api, apimachinery)},
		// Both serve tests only.
		{path: "watch/faults", tests: proof},
		{path: "watch/internal/history", may: list(engineOnly, []string{module + "/watch$"}, watchFaults), tests: list(proof, clientGo, api, apimachinery)},
		{path: "watch/client/apart", tests: proof},
		{path: "watch/client/plugin", may: list(apimachinery, clientGo, watchApart), tests: proof},
		{path: "watch/client", may: list(engineOnly, []string{module + "/watch/client/plugin"}, api, apimachinery, clientGo), tests: list(proof, watchFaults)},
		{path: "watch/store", may: list(engineOnly, world, observe, page, api, apimachinery), tests: proof},
		{path: "watch/jsonpath", may: list(fields, []string{"k8s.io/apimachinery/pkg/util/json", "k8s.io/client-go/util/jsonpath"}), tests: proof},
		{path: "watch/internal/intern", tests: proof},
		{path: "watch/internal/gate", tests: proof},
		{path: "watch/stream/objectjson", may: list(watchClient, watchIntern, api, apimachinery), tests: proof},
		{path: "watch/link", may: list(engineOnly, world, watchClient, watchStore), tests: list(proof, clientGo)},
		{path: "watch/stream/decode", may: list(engineOnly, world, watchIntern, []string{module + "/watch/stream/objectjson"}, api, apimachinery), tests: proof},
		{path: "watch/stream/printed", may: list(engineOnly, world, watchClient, watchTask, []string{module + "/watch/stream/objectjson"}, apimachinery, clientGo), tests: proof},
		{path: "watch/stream/rowonly", may: engineOnly, tests: proof},
		{path: "watch/stream/wanted", may: list(engineOnly, evidence, world, watchStore, apimachinery), tests: proof},
		{path: "watch/stream/received", may: list(watchClient, apimachinery)},
		{path: "watch/stream/paging", may: list(watchClient)},
		{path: "watch/stream/held", may: list(watchMemory, watchStore), tests: engineOnly},
		{path: "watch/stream/incoming", may: list(engineOnly, watchClient, watchStore, watchTask, jsonPath, []string{module + "/watch/stream/decode", module + "/watch/stream/held"}, apimachinery), tests: list(proof, world, watchMemory, api, []string{"k8s.io/utils/dump"})},
		{path: "watch/stream", may: list(engineOnly, world, watchClient, watchLink, watchStore, watchTask, watchMemory, watchIntern, jsonPath, []string{module + "/watch/stream/held", module + "/watch/stream/incoming", module + "/watch/stream/paging", module + "/watch/stream/printed", module + "/watch/stream/received", module + "/watch/stream/rowonly", module + "/watch/stream/wanted", module + "/watch/internal/gate"}, api, apimachinery, clientGo), tests: list(proof, watchFaults, []string{"k8s.io/utils/dump"})},
		{path: "watch/act", may: list(engineOnly, act, plan, page, watchClient, api, apimachinery, clientGo), tests: proof},
		{path: "watch/ask/member", may: list(engineOnly, []string{module + "/engine/identity"}, world, page, watchClient, watchTask, api, apimachinery, clientGo), tests: proof},
		{path: "watch/ask/mask"},
		{
			path:  "watch/ask",
			may:   list(engineOnly, evidence, world, plan, act, page, drive, forecast, watchClient, watchTask, []string{module + "/watch/ask/mask", module + "/watch/ask/member", module + "/watch/stream/objectjson", module + "/watch/stream/printed"}, api, apimachinery, clientGo),
			tests: list(proof, observe),
		},
		{path: "watch/fleet", may: list(engineOnly, act, page, observe, watchTask), tests: proof},
		{
			path:  "watch",
			may:   list(engineOnly, world, plan, runref, selectors, act, page, triage, drive, []string{module + "/watch"}, api, apimachinery, clientGo),
			tests: list(proof, demoHub, yaml),
		},
		{path: "keymap", may: []string{"charm.land/bubbles/v2/key"}, tests: list(proof, []string{"github.com/charmbracelet/ultraviolet"})},
		// Components of the screen know the theme and the cell writer, not each other.
		{path: "ui/theme", may: list(engineOnly, page, keys, charm), tests: proof},
		{path: "ui/cell", may: list(engineOnly, uiTheme, charm), tests: proof},
		{path: "ui/field", may: list(engineOnly, uiTheme, uiCell, charm), tests: proof},
		{path: "ui/filter", may: list(engineOnly, columns, selectors, fuzzy), tests: proof},
		{path: "ui/selection", may: list(engineOnly, page, []string{module + "/ui/scene"}, charm), tests: proof},
		{path: "ui/list", may: list(keys), tests: proof},
		{path: "ui/stages", may: list(engineOnly, page, uiTheme, uiCell), tests: list(proof, charm)},
		{path: "ui/dialog", may: list(engineOnly, columns, act, page, keys, uiTheme, uiCell, uiParts, charm), tests: proof},
		{path: "ui/run", may: list(engineOnly, columns, plan, page, keys, uiTheme, uiCell, uiParts, charm), tests: list(proof, uiSituation)},
		{path: "ui/runlist", may: list(engineOnly, columns, keys, uiTheme, uiCell, uiParts, []string{module + "/ui/selection"}, charm), tests: list(proof, uiSituation)},
		{path: "ui/reasons", may: list(engineOnly, uiTheme, uiCell, uiParts), tests: list(proof, uiSituation, charm)},
		{path: "ui/header", may: list(engineOnly, uiTheme, uiCell, uiParts), tests: list(proof, charm)},
		{path: "ui/keybar", may: list(engineOnly, keys, uiTheme, uiCell, charm), tests: proof},
		// The runs that the tests of the screen look at.
		{path: "ui/internal/situation", may: engineOnly, tests: proof},
		{path: "ui/notify", may: list(engineOnly, columns, uiTheme, uiCell, uiParts, []string{module + "/ui/note"}, charm), tests: proof},
		{path: "ui/label", may: list(engineOnly, uiTheme, uiCell), tests: proof},
		{path: "ui/latest", may: list(engineOnly, uiTheme, uiCell), tests: list(proof, uiSituation, charm)},
		{path: "ui/scene", may: list(engineOnly, uiTheme, []string{module + "/ui/note"}, charm), tests: proof},
		{path: "ui/note", may: list(engineOnly, uiTheme, uiCell), tests: proof},
		{path: "ui/choices", may: list(engineOnly, columns, runref, uiTheme, []string{module + "/ui/palette", module + "/ui/runlist"}), tests: list(proof)},
		{path: "ui/palette", may: list(engineOnly, keys, uiTheme, uiCell, []string{module + "/ui/field"}, charm, fuzzy), tests: proof},
		{path: "ui/page", may: list(engineOnly, page, keys, uiTheme, uiCell, []string{module + "/ui/stages", module + "/ui/search"}), tests: list(proof, charm)},
		// The pictures of docs/screens.md, from objects of a hub to the screen: only its tests know both.
		{path: "ui/screens", tests: list(proof, engineOnly, world, observe, triage, act, page, []string{module + "/ui$"}, api, apimachinery, clientGo, charm)},
		{path: "ui/sheets", may: list(engineOnly, page, keys, []string{module + "/ui/page", module + "/ui/scene"}), tests: proof},
		{path: "ui/stack", may: list(engineOnly, columns, page, uiTheme, uiCell, []string{module + "/ui/page", module + "/ui/run", module + "/ui/scene"}), tests: proof},
		{path: "ui/search", may: list(engineOnly, keys), tests: proof},
		{path: "ui/viewer", may: list(engineOnly, page, keys, uiTheme, uiCell, []string{module + "/ui/search"}, charm), tests: proof},
		{path: "ui", may: list(engineOnly, columns, runref, act, page, keys, []string{module + "/ui"}, charm), tests: list(proof, plan, api, apimachinery)},
		// Writes man pages and completions for a release; no program links it.
		{path: "cli/releasefiles", may: list([]string{module + "/cli$"}, []string{"github.com/spf13/cobra"}), tests: proof},
		// The configuration is refused with the line that is wrong, which
		// sigs.k8s.io/yaml does not know.
		{path: "cli/exit", may: list(engineOnly, act), tests: proof},
		// What a value may be is what the part of the program that uses it accepts.
		{path: "cli/config", may: list(engineOnly, uiTheme, columns, fields, jsonPath, keys, []string{module + "/ui/filter", module + "/ui/notify", module + "/ui/runlist"}, []string{"go.yaml.in/yaml/v3"}), tests: list(proof, []string{"github.com/santhosh-tekuri/jsonschema/v6"})},
		{path: "cli/internal/reload", may: list(engineOnly, columns, []string{module + "/cli/config", module + "/ui$"}), tests: proof},
		{path: "cli/internal/configure", may: list(engineOnly, []string{module + "/cli/config", module + "/cli/exit", module + "/cli/internal/usage", "github.com/spf13/cobra"}), tests: proof},
		// The screen's start and end need the terminal's modes.
		{path: "cli/internal/tty", may: list(engineOnly, []string{module + "/cli/internal/frames"}, []string{"charm.land/bubbletea/v2", "github.com/charmbracelet/colorprofile", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/x/term", "golang.org/x/sys"}), tests: proof},
		// It compares cells as Bubble Tea does.
		{path: "cli/internal/frames", may: []string{"charm.land/bubbletea/v2", "github.com/charmbracelet/colorprofile", "github.com/charmbracelet/ultraviolet", "github.com/charmbracelet/x/ansi"}, tests: list(proof, terminal)},
		{path: "cli/internal/usage", may: list(engineOnly, []string{module + "/cli/exit", "github.com/spf13/cobra", "github.com/spf13/pflag"}), tests: proof},
		{
			path: "cli/internal/job",
			may: list(engineOnly, columns, runref, []string{module + "/watch$", module + "/watch/client", module + "/watch/fleet", module + "/ui$"},
				[]string{"github.com/spf13/cobra", "github.com/spf13/pflag", "k8s.io/client-go/tools/clientcmd", "k8s.io/client-go/rest$"},
				[]string{module + "/cli/config", module + "/cli/exit", module + "/cli/output", module + "/cli/internal"}),
			tests: proof,
		},
		{path: "cli/internal/complete", may: list(engineOnly, act, page, []string{module + "/watch$", module + "/cli/internal", "github.com/spf13/cobra"}), tests: list(proof, clientGo)},
		{path: "cli/internal/build", tests: proof},
		{path: "cli/internal/profile", may: list(engineOnly, []string{module + "/cli/exit"}), tests: proof},
		{path: "cli/internal/hook", may: watchApart, tests: proof},
		{path: "cli/internal/rows", may: list(engineOnly, []string{module + "/ui$", module + "/watch$", module + "/cli/exit", module + "/cli/internal/statedir"}), tests: proof},
		{path: "cli/internal/follow", may: list(engineOnly, columns, []string{module + "/watch$", module + "/watch/fleet"}), tests: proof},
		{path: "cli/internal/statedir", tests: proof},
		{path: "cli/internal/until", may: list(engineOnly, api, []string{module + "/cli/exit", module + "/cli/internal/job", module + "/watch/jsonpath"}), tests: proof},
		{path: "cli/internal/contexts", may: list(engineOnly, clientGo, []string{module + "/ui/palette", module + "/watch$", module + "/watch/client", module + "/cli/config", module + "/cli/exit", module + "/cli/output", module + "/cli/internal/statedir"}), tests: proof},
		// The documents are printed as YAML, and with the templates of kubectl.
		{path: "cli/internal/pages", may: list(engineOnly, page, []string{module + "/watch$", module + "/cli/exit", module + "/cli/output", module + "/cli/internal/job", module + "/cli/internal/tty", module + "/cli/internal/usage", "github.com/spf13/cobra"}), tests: proof},
		{path: "cli/output", may: list(engineOnly, columns, plan, runref, act, page, yaml, jsonPath, []string{"k8s.io/apimachinery/pkg/util/json", module + "/watch$"}), tests: list(proof, []string{module + "/cli/config$"})},
		{
			path: "cli",
			may: list(
				engineOnly, columns, plan, runref, act, page, []string{module + "/watch", module + "/ui$", module + "/keymap"},
				[]string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
				// rest carries the configuration that clientcmd makes.
				[]string{"k8s.io/client-go/tools/clientcmd", "k8s.io/client-go/rest$"},
				[]string{"charm.land/bubbletea/v2"},
				[]string{module + "/cli/config", module + "/cli/exit", module + "/cli/output", module + "/cli/internal"},
			),
			tests: list(proof, terminal, yaml),
		},
		{path: "deploy/rbac", tests: proof},
		{
			path:  "demo/hub",
			may:   list(api, []string{module + "/deploy/rbac"}, apimachinery, clientGo, yaml, []string{"k8s.io/apiserver", "k8s.io/apiextensions-apiserver", "go.etcd.io", "k8s.io/component-base", "k8s.io/kube-openapi", "k8s.io/api", "golang.org/x/sys"}, hubParts),
			tests: proof,
		},
		// The controllers and the members of the demo know the objects of a hub,
		// not the hub: their tests do not link it.
		{path: "demo/store", may: list(api, apimachinery, clientGo), tests: proof},
		{path: "demo/controller", may: list(demoStore, engineOnly, drive, api, apimachinery, clientGo), tests: list(proof, page)},
		{path: "demo/works", may: list(demoStore, api, apimachinery, jsonPatch), tests: proof},
		{path: "demo/members", may: list(demoStore, []string{module + "/demo/works"}, api, apimachinery, jsonPatch), tests: proof},
		{
			path: "demo/scenario",
			may: list(
				[]string{module + "/demo/hub", module + "/demo/controller", module + "/demo/works", module + "/demo/members"},
				demoStore, drive, api, apimachinery, clientGo,
			),
			// The tests of the demo that need a hub are here: one link for all.
			tests: list(proof, page, runref, []string{module + "/demo/bench", module + "/watch"}, engineOnly),
		},
		{path: "demo/bench", may: list([]string{module + "/demo/hub"}, api, apimachinery, clientGo, terminal, yaml), tests: proof},
		{
			path: "demo",
			may: []string{
				module + "/cli", module + "/demo/hub", module + "/demo/scenario", module + "/demo/controller", module + "/demo/bench",
				"github.com/spf13/pflag", "github.com/spf13/cobra",
			},
			tests: list(proof, terminal),
		},
		{path: "", may: []string{module + "/cli$"}, tests: list(proof, keys)},
	}
}

// listed is what the test reads of `go list -json`.
type listed struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	ForTest      string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, stderr.Bytes())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func rowOf(pkg string) (importRow, bool) {
	rel := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	for _, r := range importTable() {
		if rel == r.path || strings.HasPrefix(rel, r.path+"/") && r.path != "" {
			return r, true
		}
	}
	return importRow{}, false
}

// permits reports whether one of the entries allows the import.
func permits(entries []string, imp string) bool {
	for _, e := range entries {
		if exact, ok := strings.CutSuffix(e, "$"); ok {
			if imp == exact {
				return true
			}
			continue
		}
		if imp == e || strings.HasPrefix(imp, e+"/") {
			return true
		}
	}
	return false
}

// standard reports whether an import comes from the standard library: the only
// ones whose first element has no dot.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, p := range goList(t, "-json=ImportPath,Imports,TestImports,XTestImports", "./...") {
		r, ok := rowOf(p.ImportPath)
		if !ok {
			t.Errorf("%s: no row of the table is for it: add one here and in docs/architecture.md#imports", p.ImportPath)
			continue
		}
		own := module
		if r.path != "" {
			own += "/" + r.path
		}
		check := func(what string, imports, may []string) {
			for _, imp := range imports {
				inRow := imp == p.ImportPath || r.path != "" && strings.HasPrefix(imp, own+"/") && sameRow(imp, r)
				if !standard(imp) && !inRow && !permits(may, imp) {
					t.Errorf("%s: %s %s, which docs/architecture.md#imports does not allow", p.ImportPath, what, imp)
				}
			}
		}
		check("imports", p.Imports, r.may)
		tests := slices.Concat(r.may, r.tests)
		check("test imports", p.TestImports, tests)
		check("test imports", p.XTestImports, tests)
	}
}

// sameRow reports whether a package of this module is in the row itself and
// not in one with a row of its own below it.
func sameRow(imp string, r importRow) bool {
	o, ok := rowOf(imp)
	return ok && o.path == r.path
}

// The program that people install must stay lean: the embedded API belongs to
// the demo and to tests, and two packages of client-go would double its size.
func TestTheInstalledProgramIsLean(t *testing.T) {
	banned := []string{
		"go.etcd.io", "k8s.io/apiserver", "k8s.io/apiextensions-apiserver",
		"k8s.io/client-go/kubernetes", "k8s.io/client-go/dynamic/dynamicinformer", "k8s.io/cli-runtime",
		module + "/demo",
	}
	for _, p := range goList(t, "-deps", "-json=ImportPath", ".") {
		if permits(banned, p.ImportPath) {
			t.Errorf("stagewatch links %s", p.ImportPath)
		}
	}
}

// A test binary with the API server in it takes long to link.
func TestFewTestsLinkTheHub(t *testing.T) {
	const most = 3
	var linking []string
	for _, p := range goList(t, "-test", "-json=ImportPath,ForTest,Deps", "./...") {
		if strings.HasSuffix(p.ImportPath, ".test") && slices.Contains(p.Deps, module+"/demo/hub") {
			linking = append(linking, strings.TrimSuffix(p.ImportPath, ".test"))
		}
	}
	// The hub's own tests cannot do without it.
	linking = slices.DeleteFunc(linking, func(p string) bool { return p == module+"/demo/hub" })
	if len(linking) > most {
		t.Errorf("%d test packages link demo/hub, at most %d may: %v", len(linking), most, linking)
	}
}

// What the terminal understands as a command is written in two places of the
// screen: a third one could write what an object of the hub contains.
func TestEscapeSequencesAreWrittenByThemeAndCells(t *testing.T) {
	elsewhere := map[string]string{
		"cli/internal/tty/terminal.go":       "restores the modes of the terminal after a crash, when no screen can",
		"engine/text.go":                     "a comment",
		"engine/internal/corrupt/corrupt.go": "what a hostile hub returns, for tests",
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || elsewhere[path] != "" {
			return err
		}
		if dir := filepath.ToSlash(filepath.Dir(path)); dir == "ui/theme" || dir == "ui/cell" {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, s := range []string{`\x1b`, `\x9b`, `\033`, `\u001b`, `\u009b`, "\x1b"} {
			if strings.Contains(strings.ToLower(string(b)), s) {
				t.Errorf("%s writes the escape sequence %s by hand", path, s)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What arrives is read and decoded by the goroutines of a session: on the one that keys
// wait for, nothing is.
func TestTheScreenDecodesNothing(t *testing.T) {
	decoders := []string{"encoding", "compress", "archive", "net", "sigs.k8s.io", "go.yaml.in", "k8s.io"}
	for _, p := range goList(t, "-json=ImportPath,Imports", "./ui/...", "./keymap") {
		for _, imp := range p.Imports {
			if permits(decoders, imp) {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
		}
	}
}

// Every ID of an object has its hub: it comes from the decoder of the hub's answers
// or from another ID. Only sets, which are no objects, have none.
func TestIDsHaveTheirHub(t *testing.T) {
	without := map[string]bool{
		"engine/id.go":             true,
		"engine/drive/pass/run.go": true,                                                        // plan.Plan.On adds the hub
		"engine/observe/scope.go":  true, "engine/runref/match.go": true, "watch/plan.go": true, // sets of runs
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/internal/") || without[path] {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "NewID(") {
			t.Errorf("%s makes an ID without a hub: use HubName.ID or ID.Beside", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A package is one subject and has at most packageLines lines without tests, a file
// at most fileLines. Generated code does not count.
const (
	packageLines = 3000
	fileLines    = 400
)

// larger are the packages that have more lines, each with the lines that it may have
// and the reason. A package that shrinks gets a lower bound, or leaves the list.
var larger = map[string]struct {
	most   int
	reason string
}{}

// largerFiles are the files that have more than fileLines lines.
var largerFiles = map[string]int{}

func TestPackagesAndFilesAreSmall(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("DO NOT EDIT.\n")) {
			return err
		}
		n := bytes.Count(b, []byte("\n"))
		lines[filepath.ToSlash(filepath.Dir(path))] += n
		if most := max(fileLines, largerFiles[path]); n > most {
			t.Errorf("%s has %d lines, at most %d are allowed: split it", path, n, most)
		} else if largerFiles[path] > 0 && n <= fileLines {
			t.Errorf("%s has %d lines: remove it from the list of larger files", path, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range lines {
		most := packageLines
		if l, ok := larger[dir]; ok {
			most = l.most
			if n <= packageLines {
				t.Errorf("package %s has %d lines: remove it from the list of larger packages", dir, n)
			}
		}
		if n > most {
			t.Errorf("package %s has %d lines without tests, at most %d are allowed: split it by subject", dir, n, most)
		}
	}
	for dir, l := range larger {
		if lines[dir] == 0 || l.reason == "" {
			t.Errorf("package %s: does not exist, or has no reason to be larger", dir)
		}
	}
}
