package observe

import "github.com/stagewatch/stagewatch/engine/message"

// texts remembers what was read last in names and messages of bindings: most bindings of a
// placement have the same, and there may be thousands.
type texts struct{ snapshot, rollout read }

// read is a text and what was read in it.
type read struct{ text, says string }

func (r *read) of(text string, reading func(string) string) string {
	if r.text != text {
		r.text, r.says = text, reading(text)
	}
	return r.says
}

// index returns the index in the name of a snapshot.
func (t *texts) index(name string) string { return t.snapshot.of(name, message.SnapshotIndex) }

// rolloutBy returns the run that the message of RolloutStarted names.
func (t *texts) rolloutBy(said string) string {
	return t.rollout.of(said, func(said string) string {
		run, _ := message.RolloutBy(said)
		return run
	})
}
