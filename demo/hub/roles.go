package hub

import (
	"errors"
	"fmt"
	"io"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// RulesOfRoles returns the rules of the ClusterRoles and Roles of a YAML stream, as
// if each ClusterRole were bound in the whole hub and each Role in its namespace.
func RulesOfRoles(stream string) ([]Rule, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(stream), 4096)
	var out []Rule
	for {
		// A ClusterRole without an aggregation rule has the fields of a Role.
		var role rbacv1.Role
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("decode role: %w", err)
		}
		if role.Kind != "Role" && role.Kind != "ClusterRole" {
			return nil, fmt.Errorf("decode role: unexpected kind %q", role.Kind)
		}
		for _, r := range role.Rules {
			rule := Rule{Verbs: r.Verbs, Groups: r.APIGroups, Resources: r.Resources, Names: r.ResourceNames, Paths: r.NonResourceURLs}
			if role.Kind == "Role" {
				rule.Namespaces = []string{role.Namespace}
			}
			out = append(out, rule)
		}
	}
}

// rulesOfRoles is RulesOfRoles for the roles of this repository.
func rulesOfRoles(stream string) []Rule {
	rules, err := RulesOfRoles(stream)
	if err != nil {
		panic(err)
	}
	return rules
}
