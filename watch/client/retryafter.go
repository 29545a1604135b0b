package client

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// retryAfter puts the Retry-After header of an error into the Status of its body, where
// client-go leaves it out if the body is a Status.
type retryAfter struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t *retryAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < http.StatusInternalServerError {
		return resp, err
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds <= 0 {
		return resp, nil
	}
	raw, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	var status metav1.Status
	if json.Unmarshal(raw, &status) != nil || status.Kind != "Status" {
		status = metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: int32(resp.StatusCode), Message: http.StatusText(resp.StatusCode), //nolint:gosec // three digits
		}
	}
	if status.Details == nil {
		status.Details = &metav1.StatusDetails{}
	}
	if status.Details.RetryAfterSeconds == 0 {
		status.Details.RetryAfterSeconds = int32(min(seconds, 3600)) //nolint:gosec // bounded
	}
	if raw, err = json.Marshal(status); err != nil {
		return nil, err
	}
	resp.Header.Set("Content-Type", "application/json")
	resp.Header.Del("Content-Length")
	resp.ContentLength = int64(len(raw))
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport inside.
func (t *retryAfter) WrappedRoundTripper() http.RoundTripper { return t.next }
