package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/polydag/polydag/internal/licenses"
)

// The parts of SPDX 2.3 that a bill of materials has.
type (
	spdx struct {
		Version       string         `json:"spdxVersion"`
		DataLicense   string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      spdxCreation   `json:"creationInfo"`
		Packages      []spdxPackage  `json:"packages"`
		Relationships []spdxRelation `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID          string         `json:"SPDXID"`
		Name        string         `json:"name"`
		Version     string         `json:"versionInfo,omitempty"`
		Download    string         `json:"downloadLocation"`
		Analyzed    bool           `json:"filesAnalyzed"`
		License     string         `json:"licenseDeclared"`
		Concluded   string         `json:"licenseConcluded"`
		Copyright   string         `json:"copyrightText"`
		Checksums   []spdxChecksum `json:"checksums,omitempty"`
		ExternalIDs []spdxExternal `json:"externalRefs,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxExternal struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelation struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

const noAssertion = "NOASSERTION"

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// bill writes what is inside a program: the modules that its own build information lists, and what is embedded in it as data, which
// package licenses knows.
func (r *release) bill(program, name string, p platform) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	body, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(body))
	stem := fmt.Sprintf("%s_%s_%s_%s", name, r.version, p.os, p.arch)
	main := spdxPackage{
		ID: "SPDXRef-program", Name: name, Version: r.version, Download: noAssertion, License: "Apache-2.0", Concluded: "Apache-2.0", Copyright: "Copyright the polydag authors",
		Checksums: []spdxChecksum{{"SHA256", sum}}, ExternalIDs: []spdxExternal{purl("pkg:golang/github.com/polydag/polydag@v" + r.version)},
	}
	doc := spdx{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: stem, Namespace: "https://github.com/polydag/polydag/spdx/" + stem + "-" + sum[:16],
		Creation: spdxCreation{r.time.Format("2006-01-02T15:04:05Z"), []string{"Tool: polydag packaging"}}, Packages: []spdxPackage{main},
		Relationships: []spdxRelation{{"SPDXRef-DOCUMENT", "DESCRIBES", main.ID}},
	}
	works, err := licenses.All()
	if err != nil {
		return err
	}
	licence := map[string]string{}
	for _, w := range works {
		licence[w.Name] = w.SPDX()
	}
	add := func(p spdxPackage) {
		p.ID = "SPDXRef-" + notInID.ReplaceAllString(p.Name, "-")
		p.License = cmp.Or(licence[p.Name], noAssertion)
		p.Concluded, p.Copyright = p.License, noAssertion
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, spdxRelation{main.ID, "CONTAINS", p.ID})
	}
	release := strings.TrimPrefix(info.GoVersion, "go")
	add(spdxPackage{Name: "Go", Version: release, Download: "https://go.dev/dl/", ExternalIDs: []spdxExternal{purl("pkg:golang/std@" + release)}})
	linked := map[string]bool{}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		linked[m.Path] = true
		add(spdxPackage{Name: m.Path, Version: m.Version, Download: "NOASSERTION", ExternalIDs: []spdxExternal{purl("pkg:golang/" + m.Path + "@" + m.Version)}})
	}
	for _, w := range works {
		if w.Name != "Go" && !strings.Contains(w.Name, ".") && !linked[w.Name] { // a module has a host before it
			add(spdxPackage{Name: w.Name, Version: w.Version, Download: noAssertion})
		}
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, stem+".spdx.json"), append(text, '\n'), 0o644)
}

func purl(locator string) spdxExternal { return spdxExternal{"PACKAGE-MANAGER", "purl", locator} }
