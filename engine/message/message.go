// Package message reads the messages that the controller writes into conditions, in the
// wording of every version (docs/kubefleet.md#message-patterns).
package message

import (
	"regexp"
	"strings"
	"sync"
)

// Patterns for the hub's messages, in every flavour a hub may speak
// (docs/kubefleet.md#message-patterns). Fields are read first; a message only
// when no field says the same.
var (
	patAbort     = Compiled(`(?i)^\[?cannot continue the (?:Cluster)?(?:Staged)?updateRun(?::|,) (?:failed to (?:initialize|validate) the (?:cluster)?(?:staged)?updateRun(?::|,) )?`)
	patStuck     = Compiled(`^The updateRun is stuck waiting for (?:(?P<n>\d+) cluster\(s\)|cluster(?:\(s\))? (?P<old>.+?)|(?P<names>.+?) cluster\(s\)) in stage (?P<stage>\S+) to finish updating`)
	patWaiting   = Compiled(`^The updateRun is waiting for (?P<when>before|after)-stage tasks in stage (?P<stage>\S+) to complete$`)
	patPreempted = Compiled("updating cluster `(?P<cluster>[^`]+)` in the stage `?(?P<stage>[^` ]+)`? (?:does not match the cluster status|does not have expected status|is not up-to-date with the desired status)(?:, please check the status of binding `(?P<binding>[^`]+)`)?")
	patRollout   = Compiled(`^Detected the new changes on the resources and started the rollout process(?:, resourceSnapshotIndex: (?P<idx>[^,]*), (?:updateRun|stagedUpdateRun|clusterStagedUpdateRun): (?P<run>\S+))?$`)
	patSnapshot  = Compiled(`-(?P<idx>\d+)-snapshot$`)
)

// Error classes that upstream puts into its messages, without meaning of their
// own for a reader.
var classes = []string{
	"failed to process the request due to a client error: ",
	"unexpected behavior which cannot be handled by the controller: ",
	"expected behavior which can be recovered by itself: ",
	"error returned by the API server: ",
}

// Core strips the prefixes that every message of an aborted run has and leaves
// what went wrong.
func Core(message string) string {
	m := strings.TrimPrefix(message, "[")
	if loc := patAbort().FindStringIndex(m); loc != nil {
		m = m[loc[1]:]
	}
	for again := true; again; {
		again = false
		for _, c := range classes {
			if rest, ok := strings.CutPrefix(m, c); ok {
				m, again = rest, true
			}
		}
	}
	return m
}

// Compiled returns a function that compiles a regular expression, which must be valid, once, when it
// is first called: most commands use few of them, and compiling all would slow down every start.
func Compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// patternGroup returns the named group of the first match, "" when there is none.
func patternGroup(p *regexp.Regexp, s, name string) string {
	m := p.FindStringSubmatch(s)
	i := p.SubexpIndex(name)
	if m == nil || i < 0 {
		return ""
	}
	return m[i]
}

// StuckNames returns the clusters a stuck message names; some flavours give a
// count only, and all stop after the first few.
func StuckNames(message string) []string {
	m := patStuck().FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	list := m[patStuck().SubexpIndex("names")]
	if list == "" {
		list = m[patStuck().SubexpIndex("old")]
	}
	var out []string
	for n := range strings.SplitSeq(list, ",") {
		n = strings.TrimSuffix(strings.TrimSpace(n), "...")
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// RolloutBy reads who started the rollout of a binding: the run's name and the
// snapshot index of its spec. Both are empty for the rolling update controller.
func RolloutBy(message string) (run, index string) {
	m := patRollout().FindStringSubmatch(message)
	if m == nil {
		return "", ""
	}
	return m[patRollout().SubexpIndex("run")], m[patRollout().SubexpIndex("idx")]
}

// SnapshotIndex reads the index out of a master snapshot's name, "web-3-snapshot".
func SnapshotIndex(name string) string { return patternGroup(patSnapshot(), name, "idx") }

// Preempted reports whether a failure's message says that another run took a
// cluster (docs/kubefleet.md#cluster-checks, older ones #versions).
func Preempted(message string) bool { return patPreempted().MatchString(message) }

// PreemptedIn reads which cluster of which stage a failure's message says that
// another run took; both are raw, and empty when the message says no such thing.
func PreemptedIn(message string) (cluster, stage string) {
	return patternGroup(patPreempted(), message, "cluster"), patternGroup(patPreempted(), message, "stage")
}

// WaitingStage returns the stage whose tasks the message of a stage's Progressing
// condition waits for, "" when it waits for none.
func WaitingStage(message string) string { return patternGroup(patWaiting(), message, "stage") }
