package bench

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// The measures of the plot, in pixels.
const (
	plotWide, plotHigh = 220, 150 // of one diagram
	plotLeft, plotTop  = 60, 40   // of the first diagram
	plotGap            = 34
)

// Plot writes an SVG with a diagram of each cost of each Growth. Both axes are logarithmic; a
// dashed line is what the cost would be in proportion to what the hub has more of. It is written
// by hand: libraries for diagrams bring more code than the program has.
func Plot(out io.Writer, all []Growth) error {
	rows := []struct {
		title, unit string
		of          func(Growth) [3]Figure
	}{
		{liveCPU, unitTime, func(g Growth) [3]Figure { return g.Costs }},
		{memory, unitMemory, func(g Growth) [3]Figure { return g.Kept }},
	}
	var b strings.Builder
	width := plotLeft + len(all)*(plotWide+plotGap)
	height := plotTop + len(rows)*(plotHigh+2*plotGap)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="#333">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for r, row := range rows {
		var values []float64
		for _, g := range all {
			for _, f := range row.of(g) {
				values = append(values, f.Value)
			}
		}
		axis := axisOf(values)
		for c, g := range all {
			d := diagram{x: float64(plotLeft + c*(plotWide+plotGap)), y: float64(plotTop + r*(plotHigh+2*plotGap)), axis: axis}
			d.draw(&b, fmt.Sprintf("%s (%s)", row.title, row.unit), g, row.of(g))
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	if err != nil {
		return fmt.Errorf("write plot: %w", err)
	}
	return nil
}

// axis is the range of the values of a row, in powers of ten.
type axis struct{ from, to float64 }

// axisOf has room for all values.
func axisOf(values []float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return axis{math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))}
}

// diagram is one diagram of a plot, at the place of its upper left corner.
type diagram struct {
	x, y float64
	axis axis
}

// at is the place of a value at 1, 10 or 100 times: 0, 1 or 2 powers.
func (d diagram) at(power, value float64) (x, y float64) {
	inset := plotWide / 8.0
	return d.x + inset + power*(plotWide-2*inset)/2, d.y + plotHigh*(1-(math.Log10(value)-d.axis.from)/(d.axis.to-d.axis.from))
}

func (d diagram) draw(b *strings.Builder, title string, g Growth, figures [3]Figure) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" font-weight="bold">%s</text>`+"\n", d.x, d.y-8, html.EscapeString(title))
	fmt.Fprintf(b, `<rect x="%.0f" y="%.0f" width="%d" height="%d" fill="none" stroke="#999"/>`+"\n", d.x, d.y, plotWide, plotHigh)
	for power := d.axis.from; power <= d.axis.to; power++ {
		_, y := d.at(0, math.Pow(10, power))
		fmt.Fprintf(b, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1[3]f" stroke="#ddd"/>`+"\n", d.x, d.x+plotWide, y)
		fmt.Fprintf(b, `<text x="%.0f" y="%.1f" text-anchor="end">%s</text>`+"\n", d.x-4, y+4, quantity(math.Pow(10, power), ""))
	}
	// In proportion, as far as the diagram reaches.
	first := figures[0].Value
	reach := min(2, d.axis.to-math.Log10(first))
	x1, y1 := d.at(0, first)
	x2, y2 := d.at(reach, first*math.Pow(10, reach))
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#999" stroke-dasharray="4 4"/>`+"\n", x1, y1, x2, y2)
	var line []string
	for i, f := range figures {
		x, y := d.at(float64(i), f.Value)
		line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="#1565c0" stroke-width="2"/>`+"\n", strings.Join(line, " "))
	for i, f := range figures {
		x, y := d.at(float64(i), f.Value)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#1565c0"/>`+"\n", x, y)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", x, y+16, quantity(f.Value, ""))
		fmt.Fprintf(b, `<text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`+"\n", x, d.y+plotHigh+14, g.Many[i])
	}
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", d.x+plotWide/2, d.y+plotHigh+28, html.EscapeString(g.Of))
}
