package tty

import "strings"

// The values of --color.
const (
	ColorAuto   = "auto"   // what the terminal supports
	ColorAlways = "always" // colours even where the terminal claims none
	ColorNever  = "never"  // no colours
)

// ASCIILocale reports whether the locale names an encoding other than UTF-8.
// Without a locale variable it returns false: containers and remote shells often
// set none.
func ASCIILocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// ColorEnv returns env with the value of --color in the variables that the
// drawing library reads.
func ColorEnv(env []string, wish string) []string {
	if wish != ColorAlways && wish != ColorNever {
		return env
	}
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name != "NO_COLOR" && name != "CLICOLOR" && name != "CLICOLOR_FORCE" {
			out = append(out, kv)
		}
	}
	if wish == ColorAlways {
		return append(out, "CLICOLOR_FORCE=1")
	}
	return append(out, "NO_COLOR=1")
}
