package selector

import "testing"

// TestWrong checks that a selector is accepted as kubectl accepts it.
func TestWrong(t *testing.T) {
	for selector, want := range map[string]string{
		"":                  "",
		"app=web,tier!=db":  "",
		"a==":               "", // an empty value
		"app in (web, pay)": "",
		"!app":              "",
		"app in (":          "found '', expected: ',', ')' or identifier",
		"app in":            "found '' expected: '('",
		"app web":           "found 'web', expected: in, notin, =, ==, !=, gt, lt",
		"=web":              "found '=', expected: !, identifier, or 'end of string'",
		"app=web,":          "found '', expected: identifier after ','",
		"age>old":           `values[0]: Invalid value: "old": for 'Gt', 'Lt' operators, the value must be an integer`,
	} {
		if got := Wrong(selector); got.String() != want {
			t.Errorf("%q: %q, want %q", selector, got, want)
		}
	}
}
