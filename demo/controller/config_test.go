package controller

import (
	"errors"
	"fmt"
	"testing"
)

func TestWords(t *testing.T) {
	err := fmt.Errorf("list runs: %w", errors.New("no\x1b[2J such\nthing"))
	if got := Words(err); got != `list runs: no\x1b[2J such\x0athing` {
		t.Errorf("got %q", got)
	}
}
