package bench

import (
	"encoding/json"
	"fmt"
	"io"
)

// CheckFormat returns why figures cannot be printed in a format, nil if they can.
func CheckFormat(format string) error {
	switch format {
	case "table", "json", "markdown":
		return nil
	}
	return fmt.Errorf("-o is table, json or markdown, not %q", format)
}

// Print writes the figures of a measurement in a format: as they come, JSON all at once.
func Print(out io.Writer, format string, measure func(tell func(Figure) error) error) error {
	line, between := "%-28s %-46s %16s %25s %16s %8s %22s %s\n", ""
	switch format {
	case "json":
		return printJSON(out, measure)
	case "markdown":
		line, between = "| %s | %s | %s | %s | %s | %s | %s | %s |\n", "|---|---|---|---|---|---|---|---|\n"
	}
	if _, err := fmt.Fprintf(out, line+between, "HUB", "FIGURE", "MEDIAN", "LOWEST TO HIGHEST", "FLOOR", "RATIO", "TARGET", "MET"); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return measure(func(f Figure) error {
		floor, ratio, met := "", "", ""
		if f.Floor > 0 {
			floor, ratio = quantity(f.Floor, f.Unit), fmt.Sprintf("%.2fx", f.Ratio())
		}
		if target := f.Target.String(f.Unit); target != "" {
			met = "no"
			if f.Met() {
				met = "yes"
			}
		}
		spread := quantity(f.Low, "") + " to " + quantity(f.High, f.Unit)
		_, err := fmt.Fprintf(out, line, f.Size, f.What, quantity(f.Value, f.Unit), spread, floor, ratio, f.Target.String(f.Unit), met)
		return err
	})
}

func printJSON(out io.Writer, measure func(tell func(Figure) error) error) error {
	var all []Figure
	if err := measure(func(f Figure) error { all = append(all, f); return nil }); err != nil {
		return err
	}
	w := json.NewEncoder(out)
	w.SetIndent("", "  ")
	if err := w.Encode(all); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
