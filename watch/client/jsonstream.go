package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// valueLimit is the largest single JSON value that is read. etcd stores
// objects of 1.5 MiB at most by default; a hub that sends such values is broken.
const valueLimit = 16 << 20

// ErrNotJSON is in the error of an answer that is not the JSON that was requested.
var ErrNotJSON = errors.New("not the JSON that was asked for")

// JSONStream cuts whole JSON values out of a stream without decoding them, so that
// others can decode while it goes on reading. It trusts the server to send
// well-formed JSON: what it cuts wrongly fails to decode later.
type JSONStream struct {
	// Uncut, if set, gets the buffered bytes from the start of a large array element, and returns
	// the length of the element, or 0 to have it cut. It must not keep the bytes.
	Uncut func(read []byte) (taken int)
	last  int // how many bytes the value before had in the array

	r        io.Reader
	buf      []byte
	pos, end int
}

// NewJSONStream returns a JSONStream of a body.
func NewJSONStream(r io.Reader) *JSONStream { return &JSONStream{r: r, buf: make([]byte, 16<<10)} }

// CutJSON returns a JSONStream of bytes that are whole in memory, which it does not copy.
func CutJSON(b []byte) *JSONStream {
	return &JSONStream{r: bytes.NewReader(nil), buf: b, end: len(b)}
}

// fill reads more behind end and keeps buf[keep:end]; it returns how far the
// kept bytes moved to the front.
func (c *JSONStream) fill(keep int) (moved int, err error) {
	if keep > 0 {
		copy(c.buf, c.buf[keep:c.end])
		c.end -= keep
		c.pos -= keep
		moved = keep
	}
	if c.end == len(c.buf) {
		if len(c.buf) >= valueLimit {
			return moved, fmt.Errorf("a value is larger than %d MiB: %w", valueLimit>>20, ErrNotJSON)
		}
		c.buf = append(c.buf, make([]byte, min(len(c.buf), valueLimit-len(c.buf)))...)
	}
	for {
		n, err := c.r.Read(c.buf[c.end:])
		c.end += n
		switch {
		case n > 0:
			return moved, nil
		case err != nil:
			return moved, err
		}
	}
}

// peek returns the next byte that is not white space, without taking it.
func (c *JSONStream) peek() (byte, error) {
	for {
		for c.pos < c.end {
			switch b := c.buf[c.pos]; b {
			case ' ', '\t', '\n', '\r':
				c.pos++
			default:
				return b, nil
			}
		}
		if _, err := c.fill(c.pos); err != nil {
			return 0, err
		}
	}
}

// More waits for the next value. io.EOF means that the stream has ended between two values.
func (c *JSONStream) More() error {
	_, err := c.peek()
	return err
}

// take takes the next byte that is not white space; it must be want.
func (c *JSONStream) take(want byte) error {
	b, err := c.peek()
	if err != nil {
		return midway(err)
	}
	if b != want {
		return fmt.Errorf("read %q, want %q: %w", b, want, ErrNotJSON)
	}
	c.pos++
	return nil
}

// Value takes the next JSON value. The bytes belong to the caller. io.EOF means
// that the stream ended between two values.
func (c *JSONStream) Value() ([]byte, error) {
	first, err := c.peek()
	if err != nil {
		return nil, err
	}
	var n int
	switch first {
	case '{', '[':
		n, err = c.nested()
	case '"':
		n, err = c.quoted()
	default:
		n, err = c.scalar()
	}
	if err != nil {
		return nil, midway(err)
	}
	v := room(n)
	copy(v, c.buf[c.pos:])
	c.pos += n
	return v, nil
}

// nested returns the length of the object or array at pos.
func (c *JSONStream) nested() (int, error) {
	depth, i := 0, c.pos
	inString, escaped := false, false
	for {
		read := c.buf[:c.end]
		plain := i // up to there no backslash stands
		for i < len(read) {
			if inString {
				// A string without escapes, as nearly all are, ends at the next quote.
				quote := -1
				if !escaped {
					quote = bytes.IndexByte(read[i:], '"')
				}
				if plain = max(plain, i); quote >= 0 && i+quote > plain {
					ahead := read[plain:min(len(read), i+quote+slashAhead)]
					if slash := bytes.IndexByte(ahead, '\\'); slash >= 0 {
						plain += slash
					} else {
						plain += len(ahead)
					}
				}
				if quote >= 0 && i+quote <= plain {
					i, inString = i+quote+1, false
				} else {
					i, inString, escaped = c.skipString(i, escaped)
				}
				continue
			}
			switch read[i] {
			case '"':
				inString = true
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1 - c.pos, nil
				}
			}
			i++
		}
		moved, err := c.fill(c.pos)
		if err != nil {
			return 0, err
		}
		i -= moved
	}
}

// slashAhead is how far behind the end of a string backslashes are searched with it: for those of
// the next ones that is one search.
const slashAhead = 1 << 10

// quoted returns the length of the string at pos.
func (c *JSONStream) quoted() (int, error) {
	i, escaped := c.pos+1, false
	for {
		var inString bool
		i, inString, escaped = c.skipString(i, escaped)
		if !inString {
			return i - c.pos, nil
		}
		moved, err := c.fill(c.pos)
		if err != nil {
			return 0, err
		}
		i -= moved
	}
}

// near is how many bytes behind an escape are searched one by one.
const near = 32

// skipString goes on inside a string at i. It returns where it got to and
// whether that is still inside the string, and behind a backslash.
func (c *JSONStream) skipString(i int, escaped bool) (int, bool, bool) {
	for quote := -1; i < c.end; { // the next quote; the end if there is none
		if escaped {
			escaped = false
			i++
			continue
		}
		if quote < i { // at first, and after an escaped quote
			quote = c.end
			if next := bytes.IndexByte(c.buf[i:c.end], '"'); next >= 0 {
				quote = i + next
			}
		}
		if slash := bytes.IndexByte(c.buf[i:quote], '\\'); slash >= 0 {
			// Escapes come in rows: what is near one is searched byte by byte.
			i += slash
			for end := i + near; i < min(end, c.end); i++ {
				switch c.buf[i] {
				case '\\':
					i++
					end = i + near
				case '"':
					return i + 1, false, false
				}
			}
			if escaped = i > c.end; escaped { // the buffer ends with a backslash
				i = c.end
			}
			continue
		}
		if quote < c.end {
			return quote + 1, false, false
		}
		i = c.end
	}
	return i, true, escaped
}

// scalar returns the length of the number, true, false or null at pos.
func (c *JSONStream) scalar() (int, error) {
	i := c.pos
	for {
		for i < c.end {
			switch c.buf[i] {
			case ',', '}', ']', ':', ' ', '\t', '\n', '\r', '{', '[', '"':
				if i == c.pos {
					return 0, fmt.Errorf("read %q: %w", c.buf[i], ErrNotJSON)
				}
				return i - c.pos, nil
			}
			i++
		}
		moved, err := c.fill(c.pos)
		i -= moved
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && i > c.pos:
			return i - c.pos, nil
		default:
			return 0, err
		}
	}
}

// Fields walks the members of the next object. A member whose name is in list
// should be an array: field is called with nil, then each for its values. Other members
// are given to field whole. Either may be nil to skip.
func (c *JSONStream) Fields(list string, each func(v []byte) error, field func(name string, v []byte) error) error {
	if err := c.take('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		b, err := c.peek()
		if err != nil {
			return midway(err)
		}
		if b == '}' {
			c.pos++
			return nil
		}
		if n > 0 {
			if err := c.take(','); err != nil {
				return err
			}
		}
		name, err := c.Value()
		if err != nil {
			return midway(err)
		}
		if len(name) < 2 || name[0] != '"' {
			return fmt.Errorf("read member name: %w", ErrNotJSON)
		}
		if err := c.take(':'); err != nil {
			return err
		}
		key := string(name[1 : len(name)-1])
		if b, err = c.peek(); err != nil {
			return midway(err)
		}
		if key == list && b == '[' {
			if field != nil {
				if err := field(key, nil); err != nil {
					return err
				}
			}
			if err := c.array(each); err != nil {
				return err
			}
			continue
		}
		v, err := c.Value()
		if err != nil {
			return midway(err)
		}
		if field != nil {
			if err := field(key, v); err != nil {
				return err
			}
		}
	}
}

// array gives the values of the next array to each.
func (c *JSONStream) array(each func(v []byte) error) error {
	if err := c.take('['); err != nil {
		return err
	}
	for n := 0; ; n++ {
		b, err := c.peek()
		if err != nil {
			return midway(err)
		}
		if b == ']' {
			c.pos++
			return nil
		}
		if n > 0 {
			if err := c.take(','); err != nil {
				return err
			}
		}
		if c.uncut() {
			continue
		}
		v, err := c.Value()
		if err != nil {
			return midway(err)
		}
		c.last = len(v)
		if each != nil {
			if err := each(v); err != nil {
				return err
			}
		}
	}
}

// uncut gives the next value of an array to Uncut, once as much has been read as the one before
// had and a little more. It reports whether that took the value.
func (c *JSONStream) uncut() bool {
	if c.Uncut == nil || c.last < leastLarge {
		return false
	}
	most := min(c.last+c.last/8, valueLimit/2)
	if len(c.buf) < most {
		buf := make([]byte, most+most/8) // at once, not doubled again and again
		c.end = copy(buf, c.buf[c.pos:c.end])
		c.buf, c.pos = buf, 0
	}
	for c.end-c.pos < most {
		if _, err := c.fill(c.pos); err != nil {
			break // that of the body comes again when it is read on
		}
	}
	n := c.Uncut(c.buf[c.pos:min(c.end, c.pos+most)])
	if n > 0 {
		c.pos, c.last = c.pos+n, n
	}
	return n > 0
}

// midway turns the end of the stream into an error: it came inside a value.
func midway(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
