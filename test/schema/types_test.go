package schema_test

import (
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// schemaOf makes the JSON Schema of what encoding/json writes for a struct, with the key schema before its own.
func schemaOf(t *testing.T, version, title string, typ reflect.Type) []byte {
	t.Helper()
	m := &maker{t: t, defs: map[string]any{}, comments: map[string]map[string]string{}}
	doc := m.object(typ)
	doc["$schema"], doc["$id"], doc["title"] = "https://json-schema.org/draft/2020-12/schema", "https://github.com/polydag/polydag/"+strings.ReplaceAll(version, "/", "-")+".json", title
	if !strings.HasPrefix(version, "polydag.progress/") {
		doc["properties"].(map[string]any)["schema"] = map[string]any{"const": version}
		if required, _ := doc["required"].([]string); !slices.Contains(required, "schema") {
			doc["required"] = append([]string{"schema"}, required...)
		}
	}
	if len(m.defs) > 0 {
		doc["$defs"] = m.defs
	}
	return indented(t, doc)
}

// maker makes schemas of types, each named one once.
type maker struct {
	t        *testing.T
	defs     map[string]any
	comments map[string]map[string]string // the comment of each "Type.Field", by package
}

func (m *maker) of(typ reflect.Type) map[string]any {
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case typ.Implements(reflect.TypeFor[json.Marshaler]()), reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Marshaler]()), typ == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case typ.Kind() != reflect.Pointer && typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return map[string]any{"type": "string"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return m.of(typ.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64, reflect.Uint32:
		return map[string]any{"type": "integer"}
	case reflect.Float64, reflect.Float32:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": m.of(typ.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": m.of(typ.Elem())}
	case reflect.Struct:
		if typ.Name() == "" {
			return m.object(typ)
		}
		name := strings.ToLower(filepath.Base(typ.PkgPath())) + "." + typ.Name()
		if _, seen := m.defs[name]; !seen {
			m.defs[name] = nil // a type may hold itself
			m.defs[name] = m.object(typ)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	m.t.Fatalf("no schema for %v", typ)
	return nil
}

// object is the schema of a struct: closed, with what is always there required.
func (m *maker) object(typ reflect.Type) map[string]any {
	properties := map[string]any{}
	var required []string
	var add func(typ reflect.Type)
	add = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				add(f.Type)
				continue
			}
			if name == "-" || !f.IsExported() {
				continue
			}
			if name == "" {
				m.t.Fatalf("%v.%s has no name in JSON", typ, f.Name)
			}
			optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			s := m.of(f.Type)
			if nils := f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map; nils && !optional && s["$ref"] == nil && s["type"] != nil {
				s["type"] = []any{s["type"], "null"}
			}
			if said := m.comment(typ, f.Name); said != "" {
				s["description"] = said
			}
			properties[name] = s
			if !optional {
				required = append(required, name)
			}
		}
	}
	add(typ)
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// comment is what stands above a field or behind it.
func (m *maker) comment(typ reflect.Type, field string) string {
	pkg := typ.PkgPath()
	if m.comments[pkg] == nil {
		m.comments[pkg] = map[string]string{}
		paths, err := filepath.Glob(filepath.Join("..", "..", strings.TrimPrefix(strings.TrimPrefix(pkg, "github.com/polydag/polydag"), "/"), "*.go"))
		if err != nil || len(paths) == 0 {
			m.t.Fatalf("no sources of %s: %v", pkg, err)
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				m.t.Fatal(err)
			}
			maps.Copy(m.comments[pkg], said(file))
		}
	}
	return m.comments[pkg][typ.Name()+"."+field]
}

// said are the comments of the fields of the structs of a file.
func said(file *ast.File) map[string]string {
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				text := f.Doc.Text()
				if text == "" {
					text = f.Comment.Text()
				}
				for _, name := range f.Names {
					out[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
		}
		return true
	})
	return out
}
