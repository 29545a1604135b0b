package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// TestDecodeIsBounded checks that no object becomes more memory, or takes more time, than its
// bounds permit; what stands in texts does not count.
func TestDecodeIsBounded(t *testing.T) {
	in := func(value string) []byte {
		return []byte(`{"apiVersion":"v1","kind":"X","metadata":{"name":"a"},"data":` + value + `}`)
	}
	list := func(value string, n int) string { return "[" + strings.Repeat(value+",", n-1) + value + "]" }
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + "1" + strings.Repeat("]}", n/2) }
	for name, tt := range map[string]struct {
		value string
		why   string
	}{
		"values":          {list("1", maxValues-20), ""},
		"too many values": {list("1", maxValues), "the answer has more than 100000 values and was not read"},
		"containers":      {list("{}", maxValues), "the answer has more than 100000 values and was not read"},
		"texts":           {`"` + strings.Repeat(`,{[\"`, maxValues) + `"`, ""},
		"deep":            {deep(maxDepth - 2), ""},
		"too deep":        {deep(maxDepth), "the answer is nested more than 200 levels deep and was not read"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Decode(in(tt.value))
			switch {
			case tt.why == "" && (err != nil || o.GetName() != "a"):
				t.Errorf("got %v", err)
			case tt.why != "" && (err == nil || Message(err) != tt.why || KindOf(err) != Unreadable):
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := Decode([]byte(`{"a":`)); !errors.Is(err, ErrNotJSON) {
		t.Errorf("torn: %v", err)
	}
	if err := checkShape([]byte(strings.Repeat("a log, with commas ", 2*maxAnswerValues)), maxAnswerValues); err != nil {
		t.Errorf("a log: %v", err)
	}
}

// TestAnswersAreBounded checks that an answer of more values than the bound is not read, such as
// that of a list on demand, and that one of as many as the bound is.
func TestAnswersAreBounded(t *testing.T) {
	answer := func(values int) []byte { return []byte("{" + strings.Repeat("[],", values/2-1) + "[]}") }
	for values, why := range map[int]string{
		maxAnswerValues:     "",
		maxAnswerValues + 2: "the answer has more than 1000000 values and was not read",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(answer(values))
		}))
		c, err := New(engine.NewHubName("hub", ""), &rest.Config{Host: srv.URL})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := c.Do(t.Context(), c.Request(http.MethodGet).AbsPath("/apis"))
		switch {
		case why == "" && (err != nil || len(raw) != len(answer(values))):
			t.Errorf("%d values: %d bytes, %v", values, len(raw), err)
		case why != "" && (err == nil || Message(err) != why || KindOf(err) != Unreadable):
			t.Errorf("%d values: %d bytes, %v", values, len(raw), err)
		}
		c.Close()
		srv.Close()
	}
}
