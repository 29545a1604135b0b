package hub

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// withSchemas adds the OpenAPI definitions of objects, and of all they are made
// of, to definitions. They are read off the Go types: names and omitempty from
// the json tags, descriptions from the types' own documentation, merge keys
// from the patch tags. Where a definition is there already, it stays.
func withSchemas(definitions common.GetOpenAPIDefinitions, objects []runtime.Object) common.GetOpenAPIDefinitions {
	return func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		r := schemaReader{ref: ref, out: definitions(ref)}
		for _, o := range objects {
			r.define(reflect.TypeOf(o).Elem())
		}
		return r.out
	}
}

type schemaReader struct {
	ref common.ReferenceCallback
	out map[string]common.OpenAPIDefinition
}

// ownSchema is a Go type that says itself what it is in JSON.
type ownSchema interface {
	OpenAPISchemaType() []string
	OpenAPISchemaFormat() string
}

// documented is a Go type that carries its documentation, per JSON field.
type documented interface{ SwaggerDoc() map[string]string }

func docsOf(t reflect.Type) map[string]string {
	if d, ok := reflect.Zero(t).Interface().(documented); ok {
		return d.SwaggerDoc()
	}
	return nil
}

// define adds the definition of a named struct and returns its name.
func (r schemaReader) define(t reflect.Type) string {
	name := util.GetCanonicalTypeName(reflect.New(t).Interface())
	if _, known := r.out[name]; known {
		return name
	}
	if scalar, ok := reflect.Zero(t).Interface().(ownSchema); ok {
		// A struct that is written as a scalar, such as Quantity.
		r.out[name] = common.OpenAPIDefinition{Schema: spec.Schema{SchemaProps: spec.SchemaProps{
			Type: scalar.OpenAPISchemaType(), Format: scalar.OpenAPISchemaFormat(),
		}}}
		return name
	}
	r.out[name] = common.OpenAPIDefinition{} // ends recursive types
	var dependencies []string
	schema := r.object(t, &dependencies)
	slices.Sort(dependencies)
	r.out[name] = common.OpenAPIDefinition{Schema: schema, Dependencies: slices.Compact(dependencies)}
	return name
}

func (r schemaReader) object(t reflect.Type, dependencies *[]string) spec.Schema {
	docs := docsOf(t)
	schema := spec.Schema{SchemaProps: spec.SchemaProps{
		Type: []string{"object"}, Description: docs[""], Properties: map[string]spec.Schema{},
	}}
	r.fields(t, docs, &schema, dependencies)
	return schema
}

func (r schemaReader) fields(t reflect.Type, docs map[string]string, schema *spec.Schema, dependencies *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			if f.Anonymous { // TypeMeta and the like: their fields are ours
				r.fields(f.Type, docsOf(f.Type), schema, dependencies)
			}
			continue
		}
		property := r.property(f.Type, docs[name], dependencies)
		mergeHints(f.Tag, &property)
		schema.Properties[name] = property
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") && f.Type.Kind() != reflect.Struct {
			schema.Required = append(schema.Required, name)
		}
	}
}

// mergeHints tells kubectl and server-side apply how a list is merged.
func mergeHints(tag reflect.StructTag, property *spec.Schema) {
	strategy, key := tag.Get("patchStrategy"), tag.Get("patchMergeKey")
	if strategy != "" {
		property.AddExtension("x-kubernetes-patch-strategy", strategy)
	}
	if key == "" {
		return
	}
	property.AddExtension("x-kubernetes-patch-merge-key", key)
	switch key {
	case "name", "type", "uid":
		// These identify an item alone; other keys do so together with fields
		// that the tags don't tell.
		property.AddExtension("x-kubernetes-list-type", "map")
		property.AddExtension("x-kubernetes-list-map-keys", []any{key})
	}
}

func (r schemaReader) property(t reflect.Type, doc string, dependencies *[]string) spec.Schema {
	described := func(s spec.SchemaProps) spec.Schema {
		s.Description = doc
		return spec.Schema{SchemaProps: s}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.property(t.Elem(), doc, dependencies)
	case reflect.Struct:
		name := r.define(t)
		*dependencies = append(*dependencies, name)
		return described(spec.SchemaProps{Ref: r.ref(name)})
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return described(spec.SchemaProps{Type: []string{"string"}, Format: "byte"})
		}
		item := r.property(t.Elem(), "", dependencies)
		return described(spec.SchemaProps{Type: []string{"array"}, Items: &spec.SchemaOrArray{Schema: &item}})
	case reflect.Map:
		value := r.property(t.Elem(), "", dependencies)
		return described(spec.SchemaProps{Type: []string{"object"}, AdditionalProperties: &spec.SchemaOrBool{Allows: true, Schema: &value}})
	case reflect.Bool:
		return described(spec.SchemaProps{Type: []string{"boolean"}})
	case reflect.Int32:
		return described(spec.SchemaProps{Type: []string{"integer"}, Format: "int32"})
	case reflect.Int, reflect.Int64:
		return described(spec.SchemaProps{Type: []string{"integer"}, Format: "int64"})
	default:
		return described(spec.SchemaProps{Type: []string{"string"}})
	}
}
