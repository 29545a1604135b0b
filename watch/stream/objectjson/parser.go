package objectjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/watch/client"
)

// parser walks JSON that is whole in memory. It exists for runs: one of a
// thousand clusters is 400 KB of the same few words, of which encoding/json
// makes 18,000 strings. The first error sticks and ends every walk.
type parser struct {
	b    []byte
	i    int
	err  error
	when metav1.Time // the last time, and its text
	said []byte
}

func newParser(b []byte) *parser {
	return &parser{b: b}
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("read %s at byte %d: %w", want, p.i, client.ErrNotJSON)
	}
}

// peek returns the next byte that is not white space; 0 at the end.
func (p *parser) peek() byte {
	for ; p.i < len(p.b); p.i++ {
		switch b := p.b[p.i]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// take takes the next byte if it is want.
func (p *parser) take(want byte) bool {
	if p.err == nil && p.peek() == want {
		p.i++
		return true
	}
	return false
}

// null takes a null.
func (p *parser) null() bool {
	if p.err == nil && p.peek() == 'n' && bytes.HasPrefix(p.b[p.i:], []byte("null")) {
		p.i += len("null")
		return true
	}
	return false
}

// members walks an object or null; member must take the value.
func (p *parser) members(member func(name string)) {
	if p.null() {
		return
	}
	if !p.take('{') {
		p.fail("object")
		return
	}
	for n := 0; p.err == nil && !p.take('}'); n++ {
		if n > 0 && !p.take(',') {
			p.fail("comma")
			return
		}
		name := p.name()
		if !p.take(':') {
			p.fail("colon")
			return
		}
		if p.err == nil {
			member(name)
		}
	}
}

// elements walks an array or null; element must take the value. It reports
// whether there was an array.
func (p *parser) elements(element func()) bool {
	if p.null() {
		return false
	}
	if !p.take('[') {
		p.fail("array")
		return false
	}
	for n := 0; p.err == nil && !p.take(']'); n++ {
		if n > 0 && !p.take(',') {
			p.fail("comma")
			return false
		}
		if p.err == nil {
			element()
		}
	}
	return true
}

// brief and near are how many bytes are searched one by one at the begin of a string and behind
// an escape.
const brief, near = 8, 32

// quoted takes a string and returns it as it stands between its quotes, and
// whether it has escapes.
func (p *parser) quoted() (body []byte, escaped bool) {
	if !p.take('"') {
		p.fail("string")
		return nil, false
	}
	from, quote := p.i, -1
	for end := p.i + brief; p.i < len(p.b); end = p.i + near {
		// What is brief, or near an escape, is searched byte by byte: escapes come in rows.
		for ; p.i < min(end, len(p.b)); p.i++ {
			switch p.b[p.i] {
			case '\\':
				escaped = true
				p.i++
				end = p.i + near
			case '"':
				p.i++
				return p.b[from : p.i-1], escaped
			}
		}
		if p.i >= len(p.b) {
			break
		}
		if quote < p.i { // at first, and after an escaped quote
			next := bytes.IndexByte(p.b[p.i:], '"')
			if next < 0 {
				break
			}
			quote = p.i + next
		}
		slash := bytes.IndexByte(p.b[p.i:quote], '\\')
		if slash < 0 {
			p.i = quote + 1
			return p.b[from:quote], escaped
		}
		p.i += slash
	}
	p.i = len(p.b)
	p.fail("end of string")
	return nil, false
}

// textBy takes a string or null; keep and keepText return the copy that is kept.
func (p *parser) textBy(keep func([]byte) string, keepText func(string) string) string {
	if p.null() {
		return ""
	}
	body, escaped := p.quoted()
	if p.err != nil {
		return ""
	}
	if !escaped && printable(body) {
		return keep(body)
	}
	if s, ok := unquote(body); ok {
		return keepText(s)
	}
	// Surrogates, and what is neither UTF-8 nor JSON, are encoding/json's business.
	var s string
	if err := json.Unmarshal(p.b[p.i-len(body)-2:p.i], &s); err != nil {
		p.err = err
		return ""
	}
	return keepText(s)
}

// unquote returns the text of a string as it stands between its quotes. It reports false for
// one with surrogates, and for one that is neither UTF-8 nor JSON.
func unquote(body []byte) (string, bool) {
	out, n := make([]byte, len(body)), 0 // no character is longer than its escape
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '\\':
			if i++; i == len(body) {
				return "", false
			}
			if body[i] == 'u' {
				r, ok := hex(body[i+1:])
				if !ok {
					return "", false
				}
				n += utf8.EncodeRune(out[n:], r)
				i += 5
				continue
			}
			plain := unescaped[body[i]]
			if plain == 0 {
				return "", false
			}
			out[n] = plain
			n++
			i++
		case c < ' ':
			return "", false
		case c < utf8.RuneSelf:
			out[n] = c
			n++
			i++
		default:
			r, size := utf8.DecodeRune(body[i:])
			if r == utf8.RuneError && size == 1 {
				return "", false
			}
			n += copy(out[n:], body[i:i+size])
			i += size
		}
	}
	return string(out[:n]), true
}

// unescaped are the characters that stand for others behind a backslash.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex returns the character of four hexadecimal digits, unless it is half of a pair.
func hex(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, !utf16.IsSurrogate(r)
}

// printable reports whether a string is printable ASCII.
func printable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// integer takes a whole number or null.
func (p *parser) integer() int64 {
	if p.null() {
		return 0
	}
	p.peek()
	from := p.i
	for p.i < len(p.b) && (p.b[p.i] == '-' || p.b[p.i] >= '0' && p.b[p.i] <= '9') {
		p.i++
	}
	n, err := strconv.ParseInt(string(p.b[from:p.i]), 10, 64)
	if err != nil {
		p.fail("whole number")
	}
	return n
}

// time takes an RFC 3339 time or null, as metav1.Time does.
func (p *parser) time() metav1.Time {
	if p.null() {
		return metav1.Time{}
	}
	from := p.i
	body, escaped := p.quoted()
	if escaped {
		p.i = from
		body = []byte(p.text())
	}
	if p.err != nil {
		return metav1.Time{}
	}
	t, err := p.timeOf(body)
	if err != nil {
		p.err = err
	}
	return t
}

// timeOrNull takes a time, or null, for which it returns nil.
func (p *parser) timeOrNull() *metav1.Time {
	if p.null() {
		return nil
	}
	t := p.time()
	return &t
}

// timeOf reads a time.
func (p *parser) timeOf(body []byte) (metav1.Time, error) {
	if len(body) > 0 && bytes.Equal(body, p.said) {
		return p.when, nil
	}
	at, err := time.Parse(time.RFC3339, string(body))
	if err != nil {
		return metav1.Time{}, err
	}
	p.when, p.said = metav1.Time{Time: at.Local()}, body
	return p.when, nil
}

// raw takes any value and returns its bytes.
func (p *parser) raw() []byte {
	first := p.peek()
	from, depth := p.i, 0
	if first != '{' && first != '[' {
		if first == '"' {
			p.quoted()
		} else {
			p.scalar()
		}
		return p.b[from:p.i]
	}
	for p.i < len(p.b) && p.err == nil {
		switch p.b[p.i] {
		case '"':
			p.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		p.i++
		if depth == 0 {
			return p.b[from:p.i]
		}
	}
	p.fail("end of value")
	return nil
}

// isDelimiter reports whether a byte ends a number, true, false or null.
func isDelimiter(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

func (p *parser) scalar() {
	from := p.i
	for p.i < len(p.b) && !isDelimiter(p.b[p.i]) {
		p.i++
	}
	if p.i == from {
		p.fail("value")
	}
}

// into takes any value and decodes it with its own type.
func (p *parser) into(v any) {
	raw := p.raw()
	if p.err == nil {
		p.err = unmarshal(raw, v)
	}
}
