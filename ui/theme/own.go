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

// colourNames are the names of the colours of a theme: of its styles in their order, then of the
// lines that stand out and of what lies behind a dialog.
var colourNames = [...]string{"text", "name", "secondary", "faint", "done", "updating", "problem", "approval", "waiting", "key", "bar", "cursor", "behind"}

// ColourNames returns the names of the colours of a theme.
func ColourNames() []string { return colourNames[:] }

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
		pal = themes[i].pal
	} else if o.Base == Mono {
		pal = palette{}
	}
	for i, name := range colourNames {
		c, set := o.Colours[name]
		switch {
		case !set:
		case i < int(styleCount):
			pal.styles[i] = c
		case name == "bar":
			pal.surfaces[Bar] = c
		case name == "cursor":
			pal.surfaces[Cursor] = c
		default:
			pal.behind = c
		}
	}
	return pal
}
