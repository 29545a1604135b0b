package ui

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

func refuseAll(*engine.Snapshot, engine.Act, engine.ID, time.Time) (engine.Intent, engine.Refusal) {
	return engine.Intent{}, engine.Refusal{Why: engine.Lit("acts come with the next step")}
}
