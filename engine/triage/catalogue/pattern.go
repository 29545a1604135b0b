package catalogue

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is used first.
type Pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// Matching returns the pattern of an expression, which must be valid.
func Matching(expr string) *Pattern { return &Pattern{expr: expr} }

// compiled returns the regular expression: most commands use few of them, and compiling all would slow down every start.
func (p *Pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// Groups returns what the named groups of the pattern hold, nil when it does not match.
func (p *Pattern) Groups(message string) map[string]string {
	m := p.find(message)
	if m == nil {
		return nil
	}
	said := map[string]string{}
	for i, name := range p.compiled().SubexpNames() {
		if name != "" {
			said[name] = m[i]
		}
	}
	return said
}

func (p *Pattern) matches(message string) bool { return p.compiled().MatchString(message) }

// find returns the match and its groups in order, nil when it does not match.
func (p *Pattern) find(message string) []string { return p.compiled().FindStringSubmatch(message) }
