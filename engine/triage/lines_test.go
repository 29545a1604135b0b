package triage

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

var messageField = regexp.MustCompile(`("message":")([^"]+)"`)

// The situations of the engine, in which every message of the hub has several lines, as those of
// an admission webhook may have.
func TestMessagesOfSeveralLinesAreShownOnOne(t *testing.T) {
	files, err := filepath.Glob("../internal/situation/testdata/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	shown := 0
	for _, f := range files {
		var s situation
		decode(t, f, messageField.ReplaceAll(asJSON(t, f), []byte(`$1$2\n\n  rule:\tsecond line"`)), &s)
		if s.Placement == nil {
			s.Placement = &placementData{External: true}
		}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		for what, of := range map[string]any{"run": snap.Find(id), "clusters": snap.Detail} {
			b, err := json.Marshal(of)
			if err != nil {
				t.Fatal(err)
			}
			if i := strings.Index(string(b), `\x0`); i >= 0 {
				t.Errorf("%s: the %s has a line break: %s", filepath.Base(f), what, b[max(0, i-200):min(len(b), i+40)])
			}
			shown += strings.Count(string(b), " rule: second line")
		}
	}
	if shown < 50 {
		t.Errorf("only %d second lines are shown", shown)
	}
}
