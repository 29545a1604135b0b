package theme

// palette holds the colours of one kind of terminal, as hexadecimal RGB. They
// are chosen so that the nearest of 256 colours is a grey where they are near a
// grey.
type palette struct {
	styles   [styleCount]string
	surfaces [surfaceCount]string // [Plain] is not written, tests measure against it
	behind   string               // what lies behind a dialog
}

var darkPalette = palette{
	styles: [styleCount]string{
		Text:  "#d0d4da",
		Name:  "#ffffff",
		Sub:   "#a3a7b0",
		Faint: "#9b9ea4",
		Done:  "#9bd259",
		Busy:  "#74b0ff",
		Bad:   "#ff7985",
		Ask:   "#cf9bff",
		Wait:  "#ffc65c",
		Key:   "#74b0ff",
	},
	surfaces: [surfaceCount]string{Plain: "#121218", Bar: "#1e2128", Cursor: "#30333b"},
	behind:   "#5a5f6b",
}

var lightPalette = palette{
	styles: [styleCount]string{
		Text:  "#303236",
		Name:  "#000000",
		Sub:   "#545861",
		Faint: "#606369",
		Done:  "#1f6b12",
		Busy:  "#0f52c4",
		Bad:   "#b8122b",
		Ask:   "#7427b8",
		Wait:  "#825300",
		Key:   "#0f52c4",
	},
	surfaces: [surfaceCount]string{Plain: "#ffffff", Bar: "#eef0f5", Cursor: "#dfe3ea"},
	behind:   "#a4a9b5",
}
