// Package selector checks label selectors, which API servers evaluate: what is wrong with one
// is known before a server is asked.
package selector

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/stagewatch/stagewatch/engine"
)

// Wrong returns what is wrong with a label selector, in the words of the parser that API servers
// use; empty for a valid one.
func Wrong(selector string) engine.Text {
	_, err := labels.Parse(selector)
	if err == nil {
		return engine.Text{}
	}
	return engine.Clean(strings.TrimPrefix(err.Error(), "unable to parse requirement: "))
}
