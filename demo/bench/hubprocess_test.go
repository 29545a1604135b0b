package bench

import (
	"errors"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAHubWhoseCachesLagIsAskedAgain checks that a hub is not given up while its storage
// initializes, and that every other error is returned.
func TestAHubWhoseCachesLagIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
		tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
		answers := []error{apierrors.NewTooManyRequests("storage is (re)initializing", 1), tooLarge, refused}
		asked := 0
		err := behind(t.Context(), func() error { asked++; return answers[asked-1] })
		if asked != len(answers) || !errors.Is(err, refused) {
			t.Errorf("asked %d times, %v", asked, err)
		}
	})
}
