package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The parts of an image in the form of the Open Container Initiative.
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Platform    *imagePlatform    `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	imagePlatform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	index struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Manifests     []descriptor `json:"manifests"`
	}
	manifest struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Config        descriptor   `json:"config"`
		Layers        []descriptor `json:"layers"`
	}
	imageConfig struct {
		Created      string         `json:"created"`
		Architecture string         `json:"architecture"`
		OS           string         `json:"os"`
		Config       runConfig      `json:"config"`
		RootFS       rootFS         `json:"rootfs"`
		History      []imageHistory `json:"history"`
	}
	runConfig struct {
		User       string            `json:"User"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	}
	rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	// dockerImage is an entry of manifest.json, the form of docker save.
	dockerImage struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	imageHistory struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
)

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// path is where the part lies in an OCI layout.
func (d descriptor) path() string { return "blobs/sha256/" + strings.TrimPrefix(d.Digest, "sha256:") }

// blobs are the parts of an image by their digests.
type blobs map[string][]byte

func (b blobs) add(mediaType string, body []byte) descriptor {
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(body))
	b[digest] = body
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(body)}
}

func (b blobs) addJSON(mediaType string, v any) (descriptor, error) {
	body, err := json.Marshal(v)
	return b.add(mediaType, body), err
}

// image writes an image from scratch, for every processor that programs has, as an OCI layout in a tar. It has the program, its licences
// and a folder for temporary files, and runs as a user without rights.
//
// The tar has a manifest.json besides, the form of docker save: docker load without the containerd image store, and podman load, read only
// that. It cannot hold one name for several processors, so each processor has a tag of its own, and the first one the plain tag too.
func (r *release) image(name string, programs map[platform]string, docs documents) error {
	parts := blobs{}
	platforms := slices.SortedFunc(maps.Keys(programs), func(a, b platform) int { return strings.Compare(a.String(), b.String()) })
	var list index
	var docker []dockerImage
	for _, p := range platforms {
		if p.os != "linux" || !slices.Contains(r.platforms, p) {
			continue
		}
		one, err := r.imageFor(parts, name, programs[p], p, docs)
		if err != nil {
			return fmt.Errorf("image %s: %w", name, err)
		}
		list.Manifests = append(list.Manifests, one)
		var m manifest
		if err := json.Unmarshal(parts[one.Digest], &m); err != nil {
			return err
		}
		tags := []string{name + ":" + r.version + "-" + p.arch}
		if len(docker) == 0 {
			tags = append(tags, name+":"+r.version)
		}
		docker = append(docker, dockerImage{m.Config.path(), tags, []string{m.Layers[0].path()}})
	}
	list.SchemaVersion, list.MediaType = 2, indexType
	top, err := parts.addJSON(indexType, list)
	if err != nil {
		return err
	}
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/" + name + ":" + r.version}
	outer, err := json.Marshal(index{2, indexType, []descriptor{top}})
	if err != nil {
		return err
	}
	saved, err := json.Marshal(docker)
	if err != nil {
		return err
	}
	members := []member{{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, outer}, {"manifest.json", 0o644, saved}, {"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}
	for _, digest := range slices.Sorted(maps.Keys(parts)) {
		members = append(members, member{descriptor{Digest: digest}.path(), 0o644, parts[digest]})
	}
	text, err := r.tar(members)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, fmt.Sprintf("%s_%s_image.tar", name, r.version)), text, 0o644)
}

func (r *release) imageFor(parts blobs, name, program string, p platform, docs documents) (descriptor, error) {
	body, err := os.ReadFile(program)
	if err != nil {
		return descriptor{}, err
	}
	layer, err := r.tar([]member{
		{"tmp/", 0o1777, nil}, {"usr/", 0o755, nil}, {"usr/bin/", 0o755, nil}, {"usr/bin/" + name, 0o755, body},
		{"usr/share/", 0o755, nil}, {"usr/share/doc/", 0o755, nil}, {"usr/share/doc/polydag/", 0o755, nil},
		{"usr/share/doc/polydag/LICENSE", 0o644, docs["LICENSE"]}, {"usr/share/doc/polydag/NOTICE", 0o644, docs["NOTICE"]},
		{"usr/share/doc/polydag/THIRD-PARTY-LICENSES.txt", 0o644, docs["THIRD-PARTY-LICENSES.txt"]},
	})
	if err != nil {
		return descriptor{}, err
	}
	small, err := zipped(layer)
	if err != nil {
		return descriptor{}, err
	}
	created := r.time.Format("2006-01-02T15:04:05Z")
	config, err := parts.addJSON(configType, imageConfig{
		Created: created, Architecture: p.arch, OS: p.os,
		Config: runConfig{User: "65532:65532", Entrypoint: []string{"/usr/bin/" + name}, WorkingDir: "/tmp", Labels: map[string]string{
			"org.opencontainers.image.title": name, "org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
			"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.source": homepage,
		}},
		RootFS:  rootFS{"layers", []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
		History: []imageHistory{{created, "polydag packaging"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	one, err := parts.addJSON(manifestType, manifest{2, manifestType, config, []descriptor{parts.add(layerType, small)}})
	one.Platform = &imagePlatform{p.arch, p.os}
	return one, err
}
