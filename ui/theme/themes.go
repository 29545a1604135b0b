package theme

import "slices"

// named is a theme that a person can choose.
type named struct {
	name string
	dark bool // for a dark terminal
	pal  palette
	// light are its colours on a light terminal; nil for the same ones.
	light *palette
}

// palette returns its colours.
func (n *named) palette(dark bool) palette {
	if n.light != nil && !dark {
		return *n.light
	}
	return n.pal
}

// lightANSI has no bright colours and no yellow, which cannot be read on white.
var lightANSI = palette{
	styles:   [styleCount]string{Text: "0", Name: "0", Sub: "8", Faint: "8", Done: "2", Busy: "4", Bad: "1", Ask: "5", Wait: "5", Key: "4"},
	surfaces: [surfaceCount]string{Cursor: "7"}, behind: "8",
}

// Default is the theme that follows the background of the terminal; Mono has no colours.
const (
	Default = "default"
	Mono    = "mono"
)

// themes are those beside Default and Mono. Each colour has the contrast that TestContrast
// requires on the background of its theme, on black or white, and on the lines that stand out;
// the colours of ansi are the terminal's own. The colours of deuteranopia and tritanopia are
// told apart with these; everywhere glyphs and words say what colours say.
var themes = []named{
	{name: "dark", dark: true, pal: darkPalette},
	{name: "light", pal: lightPalette},
	{name: "ansi", dark: true, light: &lightANSI, pal: palette{
		styles:   [styleCount]string{Text: "7", Name: "15", Sub: "7", Faint: "8", Done: "10", Busy: "12", Bad: "9", Ask: "13", Wait: "11", Key: "12"},
		surfaces: [surfaceCount]string{Cursor: "0"}, behind: "8",
	}},
	{name: "high-contrast", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#ffffff", Name: "#ffffff", Sub: "#e0e0e0", Faint: "#b8b8b8", Done: "#5fff5f", Busy: "#5fd7ff", Bad: "#ff8787", Ask: "#ffafff", Wait: "#ffff5f", Key: "#87d7ff"},
		surfaces: [surfaceCount]string{Plain: "#000000", Bar: "#1c1c1c", Cursor: "#303030"}, behind: "#595959",
	}},
	{name: "high-contrast-light", pal: palette{
		styles:   [styleCount]string{Text: "#000000", Name: "#000000", Sub: "#262626", Faint: "#444444", Done: "#005f00", Busy: "#0000af", Bad: "#9f0000", Ask: "#5f0087", Wait: "#5f3a00", Key: "#0000af"},
		surfaces: [surfaceCount]string{Plain: "#ffffff", Bar: "#eeeeee", Cursor: "#dddddd"}, behind: "#a6a6a6",
	}},
	{name: "deuteranopia", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#d0d4da", Name: "#ffffff", Sub: "#a3a7b0", Faint: "#9b9ea4", Done: "#56b4e9", Busy: "#b8d8ff", Bad: "#ff9e4a", Ask: "#e8a0d8", Wait: "#f0e442", Key: "#8ecbff"},
		surfaces: [surfaceCount]string{Plain: "#121218", Bar: "#1e2128", Cursor: "#30333b"}, behind: "#656569",
	}},
	{name: "tritanopia", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#d0d4da", Name: "#ffffff", Sub: "#a3a7b0", Faint: "#9b9ea4", Done: "#4fd1c5", Busy: "#c8e6e4", Bad: "#ff6e80", Ask: "#ffb0d0", Wait: "#ffd0c8", Key: "#7fdbd4"},
		surfaces: [surfaceCount]string{Plain: "#121218", Bar: "#1e2128", Cursor: "#30333b"}, behind: "#656569",
	}},
	{name: "catppuccin", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#cdd6f4", Name: "#ffffff", Sub: "#a6adc8", Faint: "#9b9fb3", Done: "#a6e3a1", Busy: "#89b4fa", Bad: "#f38ba8", Ask: "#cba6f7", Wait: "#f9e2af", Key: "#89b4fa"},
		surfaces: [surfaceCount]string{Plain: "#1e1e2e", Bar: "#181825", Cursor: "#313244"}, behind: "#6d6d77",
	}},
	{name: "dracula", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#f8f8f2", Name: "#ffffff", Sub: "#bfc3d9", Faint: "#b1b6cc", Done: "#50fa7b", Busy: "#8be9fd", Bad: "#ff9c9c", Ask: "#d6acff", Wait: "#f1fa8c", Key: "#8be9fd"},
		surfaces: [surfaceCount]string{Plain: "#282a36", Bar: "#21222c", Cursor: "#404357"}, behind: "#73757c",
	}},
	{name: "gruvbox", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#ebdbb2", Name: "#fbf1c7", Sub: "#bdae93", Faint: "#aea08c", Done: "#b8bb26", Busy: "#8aaa9e", Bad: "#fc7f6d", Ask: "#d790a3", Wait: "#fabd2f", Key: "#8aaa9e"},
		surfaces: [surfaceCount]string{Plain: "#282828", Bar: "#1d2021", Cursor: "#383432"}, behind: "#737373",
	}},
	{name: "nord", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#d8dee9", Name: "#eceff4", Sub: "#b8c2d2", Faint: "#a5afc0", Done: "#a3be8c", Busy: "#88c0d0", Bad: "#e49ca4", Ask: "#c9a5c3", Wait: "#ebcb8b", Key: "#88c0d0"},
		surfaces: [surfaceCount]string{Plain: "#2e3440", Bar: "#2b2a33", Cursor: "#343c4c"}, behind: "#777b83",
	}},
	{name: "solarized", dark: true, pal: palette{
		styles:   [styleCount]string{Text: "#b5c1c1", Name: "#eee8d5", Sub: "#abb7b7", Faint: "#a0adae", Done: "#9fb505", Busy: "#63b4eb", Bad: "#f4908e", Ask: "#a3a7e5", Wait: "#d2a61e", Key: "#63b4eb"},
		surfaces: [surfaceCount]string{Plain: "#002b36", Bar: "#093644", Cursor: "#0f4151"}, behind: "#59757c",
	}},
	{name: "solarized-light", pal: palette{
		styles:   [styleCount]string{Text: "#3f5359", Name: "#002b36", Sub: "#4a5d64", Faint: "#51636a", Done: "#596600", Busy: "#18639b", Bad: "#b8241e", Ask: "#5a28a5", Wait: "#725000", Key: "#18639b"},
		surfaces: [surfaceCount]string{Plain: "#fdf6e3", Bar: "#eee8d5", Cursor: "#e4ddc8"}, behind: "#a4a094",
	}},
}

// Background returns for which terminals a theme of stagewatch is; ok is false for one that is for
// both.
func Background(name string) (dark, ok bool) {
	i := slices.IndexFunc(themes, func(n named) bool { return n.name == name })
	if i < 0 || themes[i].pal.surfaces[Plain] == "" { // the colours of the terminal
		return false, false
	}
	return themes[i].dark, true
}

// Names returns the themes, Default first, and those of the configuration last.
func Names(own ...Own) []string {
	out := []string{Default}
	for i := range themes {
		out = append(out, themes[i].name)
	}
	out = append(out, Mono)
	for _, o := range own {
		out = append(out, o.Name)
	}
	return out
}

// Named prepares the theme of a name, one of stagewatch or one of own; an unknown or empty one is
// Default. dark and mono are what is known of the terminal.
func Named(name string, own []Own, dark, ascii, mono bool) *Theme {
	if name == Mono {
		return prepare(palette{}, ascii, true)
	}
	if i := slices.IndexFunc(own, func(o Own) bool { return o.Name == name }); i >= 0 {
		return prepare(own[i].palette(dark), ascii, mono || own[i].Base == Mono)
	}
	if i := slices.IndexFunc(themes, func(n named) bool { return n.name == name }); i >= 0 {
		return prepare(themes[i].palette(dark), ascii, mono)
	}
	return New(dark, ascii, mono)
}
