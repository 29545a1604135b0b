package engine

// Focus is what is on the screen; watch loads the objects for it (docs/architecture.md#data-flow).
type Focus struct {
	// Run is the opened run; zero when the list is shown.
	Run ID
	// Cursor is the run under the cursor of the list.
	Cursor ID
	// Top is set while no run is open and the cursor of the list follows the first row. Run is then
	// that row's run or zero.
	Top bool
	// Causes is set while the list is filtered by what a diagnosis says.
	Causes bool
}
