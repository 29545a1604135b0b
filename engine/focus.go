package engine

// Focus is what the screen looks at; watch loads for it (design 2).
type Focus struct {
	// Run is the opened run; zero when the list is shown.
	Run ID
	// Cursor is the run under the cursor of the list.
	Cursor ID
}
