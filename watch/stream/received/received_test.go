package received

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/watch/client"
)

// events is what a check brings: these versions; "-" is none.
func events(versions ...string) *client.JSONStream {
	var b strings.Builder
	for _, v := range versions {
		fmt.Fprintf(&b, `{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":%q}}}`, strings.Trim(v, "-"))
	}
	return client.NewJSONStream(strings.NewReader(b.String()))
}

// TestCompare checks what a comparison of the events of a check with those of the watch says.
func TestCompare(t *testing.T) {
	at := time.Unix(0, 0)
	for _, tt := range []struct {
		name, received, check string
		want                  News
		end                   bool // nothing is left to read
	}{
		{"nothing new", "11 13", "11 13", None, true},
		{"a newer one", "11 13", "11 13 15", Some, false},
		{"one was lost", "11 13", "11 12 13", Lost, false},
		{"the first was lost", "13", "11 13", Lost, false},
		{"one is sent again", "11 13", "10 11 13", None, true},
		{"the server is behind", "11 13", "11", Refused, true},
		{"the server has none", "11 13", "", Refused, true},
		{"no version", "11 13", "-", Refused, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r Versions
			r.Reset("10", at)
			for _, v := range strings.Fields(tt.received) {
				r.Add(v)
			}
			found, err := r.Mark("13", at).Compare(events(strings.Fields(tt.check)...))
			if found != tt.want || errors.Is(err, io.EOF) != tt.end {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
}

// TestReceived checks where a comparison begins.
func TestReceived(t *testing.T) {
	var r Versions
	at := time.Unix(0, 0)
	begins := func(m *Mark, from string) *Mark {
		t.Helper()
		if m.From != from {
			t.Errorf("begins at %s, want %s", m.From, from)
		}
		return m
	}
	r.Reset("10", at)
	r.Add("11")
	first := begins(r.Mark("11", at), "10")
	r.Add("12")
	if age := r.Age(at.Add(time.Second)); age != time.Second {
		t.Errorf("not compared for %v", age)
	}
	r.Compared(first)
	second := begins(r.Mark("12", at), "11")
	r.Reset("20", at)
	r.Compared(second) // says nothing about what came after the list
	begins(r.Mark("20", at), "20")
	if age := r.Age(at.Add(time.Second)); age != 0 {
		t.Errorf("nothing came, and was not compared for %v", age)
	}
	r.Add("21")
	r.Add("22") // comes between the moment at which 21 is the latest and the mark
	at = at.Add(receivedFor + 1)
	begins(r.Mark("21", at), "21") // the hub may have forgotten what was before
	m := begins(r.Mark("22", at), "21")
	if found, _ := m.Compare(events("22")); found != None || len(m.known) != 1 {
		t.Errorf("found %v, with %v received", found, m.known)
	}
	r.Compared(m)
	r.Add("22") // was compared before it is noted
	if m = begins(r.Mark("22", at), "22"); len(m.known) != 0 {
		t.Errorf("no check brings %v", m.known)
	}
	for i := range mostReceived + 5 {
		r.Add(strconv.Itoa(100 + i))
	}
	m = begins(r.Mark(strconv.Itoa(100+mostReceived+4), at), "104")
	if len(m.known) != mostReceived {
		t.Errorf("%d versions are kept", len(m.known))
	}
	r.Add("99999")
	r.Compared(m) // the oldest version was dropped meanwhile
	if m = r.Mark("99999", at); len(m.known) != 1 || !m.known["99999"] {
		t.Errorf("%d versions are left", len(m.known))
	}
}

// TestAMarkIsOldAfterAList checks that what a check has found before a list is not taken for a
// change that the watch has lost since: the set would be listed twice.
func TestAMarkIsOldAfterAList(t *testing.T) {
	var r Versions
	now := time.Unix(1000, 0)
	r.Reset("10", now)
	r.Add("12")
	m := r.Mark("12", now)
	if r.IsOld(m) {
		t.Error("a mark is old although there was no list")
	}
	if r.Reset("12", now); !r.IsOld(m) {
		t.Error("a mark is not old although there was a list")
	}
}
