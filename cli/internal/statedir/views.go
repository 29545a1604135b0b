package statedir

import "fmt"

// viewsFile maps contexts to views.
const viewsFile = "views.json"

// View returns the view that was shown last of a context; empty for none. A file that cannot
// be read has none.
func (d Dir) View(context string) string {
	var views map[string]string
	if d.read(viewsFile, &views) != nil {
		return ""
	}
	return views[context]
}

// RememberView keeps the view that is shown of a context; an empty one is forgotten.
func (d Dir) RememberView(context, view string) error {
	views := map[string]string{}
	if err := d.read(viewsFile, &views); err != nil {
		return fmt.Errorf("read the views: %w", err)
	}
	if views == nil { // the file holds null
		views = map[string]string{}
	}
	if views[context] == view {
		return nil
	}
	if views[context] = view; view == "" {
		delete(views, context)
	}
	if err := d.replace(viewsFile, views); err != nil {
		return fmt.Errorf("write the views: %w", err)
	}
	return nil
}
