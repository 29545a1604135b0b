package usage

import (
	"slices"
	"strings"
	"testing"
)

// A kind in front of a name, as kubectl takes them, is part of the name.
func TestJoinKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"", ""},
		{"csur web-r5", "csur/web-r5"},
		{"get csur web-r5", "get csur/web-r5"},
		{"get csur web-r5 pay-r2 -o yaml", "get csur/web-r5 csur/pay-r2 -o yaml"},
		{"-n shop explain stagedupdaterun pay-r2", "-n shop explain stagedupdaterun/pay-r2"},
		{"explain clusterstagedupdateruns.placement.kubernetes-fleet.io web-r5", "explain clusterstagedupdateruns.placement.kubernetes-fleet.io/web-r5"},
		{"approve csur web-r5 prod", "approve csur/web-r5 prod"},
		{"--context=dev explain csur web-r5", "--context=dev explain csur/web-r5"},
		{"get csur csur/web-r5", "get csur/web-r5"},
		{"get csur", "get csur"},
		{"get csur -o wide", "get csur -o wide"},
		{"get -n sur web-r5", "get -n sur web-r5"},
		{"explain -- csur web-r5", "explain -- csur web-r5"},
		{"explain web-r5", "explain web-r5"},
		{"explain rs web-r5", "explain rs web-r5"},
	} {
		args := strings.Fields(tt[0])
		if got := JoinKinds(args); !slices.Equal(got, strings.Fields(tt[1])) {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
		if !slices.Equal(args, strings.Fields(tt[0])) {
			t.Errorf("%q: changes its arguments", tt[0])
		}
	}
}
