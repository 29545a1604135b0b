package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
)

// element is one element of an SVG.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

func elements(t *testing.T, svg string) []element {
	t.Helper()
	var out []element
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			out = append(out, e)
		case xml.CharData:
			if len(out) > 0 {
				out[len(out)-1].text += strings.TrimSpace(string(token))
			}
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A point stands higher the larger its value is, on a scale that all diagrams of a row share;
// a cost that grows in proportion lies on the dashed line, and nothing leaves the picture.
func TestPlot(t *testing.T) {
	t.Parallel()
	costs := func(values ...float64) (out [3]Figure) {
		for i, v := range values {
			out[i] = Figure{Value: v}
		}
		return out
	}
	all := []Growth{
		{Of: "runs & more", Many: [3]int{1, 10, 100}, Costs: costs(20, 200, 2000), Kept: costs(30, 30, 60)},
		{Of: "bindings", Many: [3]int{5, 50, 500}, Costs: costs(20, 20, 40), Kept: costs(30, 90, 100)},
	}
	var svg strings.Builder
	if err := Plot(&svg, all); err != nil {
		t.Fatal(err)
	}
	var texts []string
	var heights []float64
	var lines [][]string
	var dashed []element
	var box []string
	for _, e := range elements(t, svg.String()) {
		switch e.name {
		case "svg":
			box = strings.Fields(e.attrs["viewBox"])
		case "text":
			texts = append(texts, e.text)
		case "circle":
			heights = append(heights, number(t, e.attrs["cy"]))
		case "polyline":
			lines = append(lines, strings.Fields(e.attrs["points"]))
		case "line":
			if e.attrs["stroke-dasharray"] != "" {
				dashed = append(dashed, e)
			}
		}
		for _, a := range []string{"x", "x1", "x2", "cx"} {
			if v := e.attrs[a]; v != "" && (number(t, v) < 0 || number(t, v) > number(t, box[2])) {
				t.Errorf("%s of %s is %s of %s", a, e.name, v, box[2])
			}
		}
		for _, a := range []string{"y", "y1", "y2", "cy"} {
			if v := e.attrs[a]; v != "" && (number(t, v) < 0 || number(t, v) > number(t, box[3])) {
				t.Errorf("%s of %s is %s of %s", a, e.name, v, box[3])
			}
		}
	}
	if got := strings.Join(texts, "|"); !strings.Contains(got, "CPU to live (ms)") || !strings.Contains(got, "memory when settled (MiB)") || !strings.Contains(got, "runs & more") || !strings.Contains(got, "500") || !strings.Contains(got, "2000") {
		t.Errorf("texts %s", got)
	}
	if len(heights) != 12 || len(lines) != 4 || len(dashed) != 4 {
		t.Fatalf("%d points, %d lines, %d dashed", len(heights), len(lines), len(dashed))
	}
	if !(heights[0] > heights[1] && heights[1] > heights[2]) || heights[3] != heights[0] || heights[3] != heights[4] {
		t.Errorf("heights of the first row: %v", heights[:6])
	}
	end := lines[0][2]
	if want := dashed[0].attrs["x2"] + "," + dashed[0].attrs["y2"]; end != want {
		t.Errorf("a cost in proportion ends at %s, the dashed line at %s", end, want)
	}
}
