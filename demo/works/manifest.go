package works

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Manifest is the part of a manifest that a member's agent and the reports of it
// look at.
type Manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

func (m Manifest) groupVersion() (group, version string) {
	if group, version, found := strings.Cut(m.APIVersion, "/"); found {
		return group, version
	}
	return "", m.APIVersion
}

// Image is that of the only container of the scenarios' Deployments.
func (m Manifest) Image() string {
	if c := m.Spec.Template.Spec.Containers; len(c) > 0 {
		return c[0].Image
	}
	return ""
}

// IsDeployment reports whether the manifest is a Deployment.
func (m Manifest) IsDeployment() bool { return m.APIVersion == "apps/v1" && m.Kind == "Deployment" }

// Identifier returns how a Work's status names the manifest at a position.
func (m Manifest) Identifier(ordinal int) placement.WorkResourceIdentifier {
	group, version := m.groupVersion()
	return placement.WorkResourceIdentifier{
		Ordinal: ordinal, Group: group, Version: version, Kind: m.Kind, Resource: strings.ToLower(m.Kind) + "s",
		Namespace: m.Metadata.Namespace, Name: m.Metadata.Name,
	}
}

// ParseManifest decodes a manifest.
func ParseManifest(content placement.ResourceContent) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(content.Raw, &m); err != nil {
		return Manifest{}, fmt.Errorf("decode manifest: %w", err)
	}
	return m, nil
}

// SameContent compares what two manifests mean: the hub stores JSON in an order
// of its own.
func SameContent(a, b placement.ResourceContent) bool {
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	var left, right any
	return json.Unmarshal(a.Raw, &left) == nil && json.Unmarshal(b.Raw, &right) == nil && reflect.DeepEqual(left, right)
}
