package theme

import (
	"regexp"
	"slices"
	"strconv"
)

// Own is a theme of the configuration.
type Own struct {
	Name string
	// Base is the theme with the colours that are not set; empty for Default.
	Base string
	// Colours are hexadecimal (#rrggbb) or one of the 256 of the terminal, by ColourNames.
	Colours map[string]string
}

// colour is a colour that a theme has a name for.
type colour struct {
	name string
	of   func(*palette) *string
}

// colours are those of the styles, of the lines that stand out, and of what lies behind a dialog.
var colours = [...]colour{
	{"text", style(Text)},
	{"name", style(Name)},
	{"secondary", style(Sub)},
	{"faint", style(Faint)},
	{"done", style(Done)},
	{"updating", style(Busy)},
	{"problem", style(Bad)},
	{"approval", style(Ask)},
	{"waiting", style(Wait)},
	{"key", style(Key)},
	{"bar", surface(Bar)},
	{"cursor", surface(Cursor)},
	{"behind", func(p *palette) *string { return &p.behind }},
}

func style(k Style) func(*palette) *string { return func(p *palette) *string { return &p.styles[k] } }

func surface(g Surface) func(*palette) *string {
	return func(p *palette) *string { return &p.surfaces[g] }
}

// ColourNames returns the names of the colours of a theme.
func ColourNames() []string {
	out := make([]string, len(colours))
	for i := range colours {
		out[i] = colours[i].name
	}
	return out
}

var hexadecimal = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// IsColour reports whether a theme can have a colour: #rrggbb, or 0 to 255.
func IsColour(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= 255 && strconv.Itoa(n) == s || hexadecimal.MatchString(s)
}

// palette returns its colours, on those of its base.
func (o *Own) palette(dark bool) palette {
	pal := lightPalette
	if dark {
		pal = darkPalette
	}
	if i := slices.IndexFunc(themes, func(n named) bool { return n.name == o.Base }); i >= 0 {
		pal = themes[i].palette(dark)
	} else if o.Base == Mono {
		pal = palette{}
	}
	for i := range colours {
		if c, set := o.Colours[colours[i].name]; set {
			*colours[i].of(&pal) = c
		}
	}
	return pal
}
