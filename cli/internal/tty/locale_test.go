package tty

import (
	"strings"
	"testing"
)

func TestLocale(t *testing.T) {
	cases := []struct {
		name string
		env  map[string]string
		want bool
	}{
		{name: "none", want: false},
		{name: "utf-8", env: map[string]string{"LANG": "de_DE.UTF-8"}, want: false},
		{name: "utf8", env: map[string]string{"LANG": "en_US.utf8"}, want: false},
		{name: "latin", env: map[string]string{"LANG": "de_DE@euro"}, want: true},
		{name: "C", env: map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, want: true},
		{name: "C.UTF-8 wins", env: map[string]string{"LC_ALL": "C.UTF-8", "LANG": "C"}, want: false},
		{name: "LC_CTYPE before LANG", env: map[string]string{"LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"}, want: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := ASCIILocale(func(k string) string { return c.env[k] }); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestColourWishes(t *testing.T) {
	env := []string{"TERM=xterm", "NO_COLOR=1", "CLICOLOR_FORCE=1"}
	cases := []struct {
		wish string
		want []string
	}{
		{ColorAuto, env},
		{"", env},
		{ColorAlways, []string{"TERM=xterm", "CLICOLOR_FORCE=1"}},
		{ColorNever, []string{"TERM=xterm", "NO_COLOR=1"}},
	}
	for _, c := range cases {
		if got := ColorEnv(env, c.wish); strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%q: got %v, want %v", c.wish, got, c.want)
		}
	}
}
