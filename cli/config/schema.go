package config

import (
	"bytes"
	"encoding/json"
	"reflect"

	"go.yaml.in/yaml/v3"
)

//go:generate go test -run ^TestSchema$ . -update

// property is one value in the JSON schema of the file.
type property struct {
	Schema               string               `json:"$schema,omitempty"`
	Title                string               `json:"title,omitempty"`
	Description          string               `json:"description,omitempty"`
	Type                 []string             `json:"type,omitempty"`
	Enum                 []any                `json:"enum,omitempty"`
	Pattern              string               `json:"pattern,omitempty"`
	Minimum              *int                 `json:"minimum,omitempty"`
	Maximum              *int                 `json:"maximum,omitempty"`
	AnyOf                []*property          `json:"anyOf,omitempty"`
	Default              any                  `json:"default,omitempty"`
	Items                *property            `json:"items,omitempty"`
	Properties           map[string]*property `json:"properties,omitempty"`
	AdditionalProperties any                  `json:"additionalProperties,omitempty"`
}

// Schema returns the JSON schema of the file.
func Schema() ([]byte, error) {
	p := propertyOf(reflect.ValueOf(Default()), "")
	p.Schema, p.Title = "https://json-schema.org/draft/2020-12/schema", "Configuration of stagewatch"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(p)
	return b.Bytes(), err
}

// propertyOf describes the type of a value, which is the default. Every key may be left empty.
func propertyOf(v reflect.Value, list string) *property {
	if v.Type() == reflect.TypeFor[Views]() {
		v = reflect.Zero(reflect.TypeFor[map[string]View]())
	}
	switch of := v.Type(); of.Kind() {
	case reflect.Struct:
		p := &property{Type: []string{"object", "null"}, Properties: map[string]*property{}, AdditionalProperties: false}
		for f := range of.Fields() {
			if keyOf(&f) == "-" {
				continue
			}
			inner := propertyOf(v.FieldByIndex(f.Index), f.Tag.Get("values"))
			inner.Description = f.Tag.Get("doc")
			p.Properties[keyOf(&f)] = inner
		}
		return p
	case reflect.Map:
		if list == "colours" {
			p := &property{Type: []string{"object", "null"}, Properties: map[string]*property{}, AdditionalProperties: false}
			for _, name := range values(list) {
				p.Properties[name] = &property{
					Type: []string{"string", "integer"}, Pattern: "^(#[0-9a-fA-F]{6}|[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$", Minimum: new(0), Maximum: new(255),
				}
			}
			return p
		}
		if of == reflect.TypeFor[bindings]() {
			p := &property{Type: []string{"object", "null"}, Properties: map[string]*property{}, AdditionalProperties: false}
			for _, action := range values(list) {
				p.Properties[action] = &property{Type: []string{"string", "array"}, Items: &property{Type: []string{"string"}}}
			}
			return p
		}
		return &property{Type: []string{"object", "null"}, AdditionalProperties: propertyOf(reflect.Zero(of.Elem()), list)}
	case reflect.Slice:
		return &property{Type: []string{"array", "null"}, Items: propertyOf(reflect.Zero(of.Elem()), list)}
	case reflect.Bool:
		return &property{Type: []string{"boolean", "null"}, Default: v.Bool()}
	}
	p := &property{Type: []string{"string", "null"}}
	if s := v.String(); s != "" {
		p.Default = s
	}
	for _, one := range values(list) {
		p.Enum = append(p.Enum, one)
	}
	if p.Enum != nil {
		p.Enum = append(p.Enum, "", nil) // an empty value is the default
	}
	if list == "hours" {
		p.Pattern = "^([0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9])?$"
	}
	switch list {
	case "columns":
		p.AnyOf, p.Enum = []*property{{Enum: p.Enum}, {Pattern: "^((label|annotation):.|jsonpath:[^:]+:.)"}}, nil
	case "themes", "sorts": // names of the configuration are possible, too
		p.AnyOf, p.Enum = []*property{{Enum: p.Enum}, {Type: []string{"string"}}}, nil
	}
	return p
}

// Print returns the effective configuration as YAML; a comment names what set each key.
func Print() ([]byte, error) {
	c, from, err := load(environment())
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := doc.Encode(c); err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(doc.Content); i += 2 {
		name, value := doc.Content[i], doc.Content[i+1]
		set := from[name.Value]
		if set == "" {
			set = "default"
		}
		if value.Kind == yaml.ScalarNode || len(value.Content) == 0 {
			value.LineComment = set
		} else {
			name.LineComment = set
		}
	}
	return yaml.Marshal(&doc)
}
