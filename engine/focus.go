package engine

import "slices"

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
	// Rows are runs on the screen of which only the row was read (RunView.RowOnly). AllRows is set while what is on the screen
	// depends on more than the rows of all such runs: a filter, or an order.
	Rows    []ID // immutable
	AllRows bool
}

// Equal reports whether both are the same.
func (f Focus) Equal(o Focus) bool {
	return f.Run == o.Run && f.Cursor == o.Cursor && f.Top == o.Top && f.Causes == o.Causes && f.AllRows == o.AllRows && slices.Equal(f.Rows, o.Rows)
}
