package members

import (
	"strings"
	"testing"
)

func TestValidImage(t *testing.T) {
	for image, want := range map[string]bool{
		"registry.contoso.example/shop/checkout:4.41.0": true,
		"nginx":                                 true,
		"localhost:5000/a/b_c-d:v1":             true,
		"a/b@sha256:" + strings.Repeat("0", 64): true,
		"registry.weu.contoso.example/search/search-indexer:3.8.0!":          false,
		"registry.eus.contoso.example//search/suggest:1.13.0":                false,
		"registry.weu.contoso.example/observability/telemetry-agent:0.98.0 ": false,
		"Registry/Upper:1": false,
		"":                 false,
		"registry.contoso.example/shop/checkout:" + strings.Repeat("v", 129) + "v1": false,
	} {
		if got := ValidImage.MatchString(image); got != want {
			t.Errorf("%q: valid %t, want %t", image, got, want)
		}
	}
}
