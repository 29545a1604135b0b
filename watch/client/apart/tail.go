package apart

import "bytes"

// mostTail is how much a Tail keeps, in bytes.
const mostTail = 4096

// Tail keeps the end of what a program writes on stderr, to explain why it failed.
type Tail struct{ text []byte }

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-mostTail):]
	return len(p), nil
}

// Last is the last line that is not empty.
func (t *Tail) Last() string {
	lines := bytes.Split(bytes.TrimSpace(t.text), []byte("\n"))
	return string(bytes.TrimSpace(lines[len(lines)-1]))
}
