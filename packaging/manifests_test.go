//go:build release

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// typed reads a document into the type of Kubernetes that it names. A field that the type does not have is an error.
func typed(doc []byte) (string, error) {
	var head struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return "", err
	}
	name := head.APIVersion + " " + head.Kind
	into, ok := map[string]any{
		"v1 Service":                         new(corev1.Service),
		"apps/v1 StatefulSet":                new(appsv1.StatefulSet),
		"apps/v1 Deployment":                 new(appsv1.Deployment),
		"networking.k8s.io/v1 NetworkPolicy": new(networkingv1.NetworkPolicy),
	}[name]
	if !ok {
		return name, fmt.Errorf("the test does not know the kind %s", name)
	}
	return name, yaml.UnmarshalStrict(doc, into)
}

// Every document of a manifest has only fields that Kubernetes knows. What only a cluster can tell, such as admission, is not checked.
func TestManifestsHaveTypesOfKubernetes(t *testing.T) {
	files, err := filepath.Glob("../deploy/kubernetes/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	kinds := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, doc := range bytes.Split(text, []byte("\n---\n")) {
			name, err := typed(doc)
			if err != nil {
				t.Errorf("%s, document %d: %v", filepath.Base(file), i+1, err)
			}
			kinds[name] = true
		}
	}
	if len(kinds) != 4 {
		t.Errorf("the manifests have %v, want 4 kinds", kinds)
	}
	if _, err := typed([]byte("apiVersion: apps/v1\nkind: Deployment\nspec: {replica: 3}\n")); err == nil {
		t.Error("a field that does not exist is taken")
	}
}
