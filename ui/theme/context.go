package theme

// contextColours are the colours of contexts. Each is the one of a style, so that it can be read in
// every theme.
var contextColours = []struct {
	name  string
	style Style
}{{"red", Bad}, {"yellow", Wait}, {"green", Done}, {"blue", Busy}, {"magenta", Ask}}

// ContextColours returns the names of the colours that a context can have.
func ContextColours() (out []string) {
	for _, c := range contextColours {
		out = append(out, c.name)
	}
	return out
}

// OfContext returns the style of the name of a context; Name for one without a colour.
func OfContext(colour string) Style {
	for _, c := range contextColours {
		if c.name == colour {
			return c.style
		}
	}
	return Name
}
