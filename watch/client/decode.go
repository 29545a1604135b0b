package client

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// maxValues bounds the values of one object that is decoded whole, and maxAnswerValues
	// those of an answer, which may be a list. Three bytes of JSON can become 400 of memory
	// and take 0.4 µs, so the bytes alone bound neither.
	maxValues       = 100_000
	maxAnswerValues = 1_000_000
	// maxDepth bounds how deep values are nested. Custom resource definitions, which are the
	// deepest, have 50 levels.
	maxDepth = 200
)

// Decode makes an object of its JSON.
func Decode(raw []byte) (*unstructured.Unstructured, error) {
	if err := checkShape(raw, maxValues); err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(raw); err != nil {
		return nil, errors.Join(ErrNotJSON, err)
	}
	return o, nil
}

// checkShape returns an error for JSON that has too many values, or too deep ones. It counts
// commas and opening brackets. What is no object, a log for example, has neither.
func checkShape(raw []byte, most int) error {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c := CutJSON(raw)
	values, depth := 0, 0
	for i := 0; i < c.end; i++ {
		switch c.buf[i] {
		case '"':
			i, _, _ = c.skipString(i+1, false)
			i--
		case '{', '[':
			values++
			if depth++; depth > maxDepth {
				return &SizeError{fmt.Sprintf("is nested more than %d levels deep", maxDepth)}
			}
		case '}', ']':
			depth--
		case ',':
			values++
		}
		if values > most {
			return &SizeError{fmt.Sprintf("has more than %d values", most)}
		}
	}
	return nil
}
