package engine

// Focus is what is on the screen; watch loads the objects for it
// (docs/architecture.md#data-flow).
type Focus struct {
	// Run is the opened run; zero when the list is shown.
	Run ID
	// Cursor is the run under the cursor of the list.
	Cursor ID
	// Top is set while the list is shown and nobody has moved its cursor: it is on the first
	// row, whichever run that is. Run is that one then, or zero.
	Top bool
}
