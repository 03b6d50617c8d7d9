# polydag: `make demo` and `make test` need only Go and git.

GO      ?= go
BIN     := bin/polydag
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GREMLINS    := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

.PHONY: all build cuda hub images demo test test-all test-here test-there race race-all noasm lint vet cross generate web webtest wheels stubs pythontest rtest try dist disttest distcheck bench study fuzz torture mutate clean

# One setting for every step, so that builds and tests share what they compile. Only the race detector needs C.
export CGO_ENABLED = 0
# Tables for debuggers take a fifth of a build. GOFLAGS= make build makes them.
export GOFLAGS ?= -gcflags=all=-dwarf=false
LEAN := -s -w -funcalign=16
# Folders that the core does not import; see docs/design/architecture.md.
WINGS := lab|gpu|images|cluster
# The compiler spends a quarter of its time on collecting garbage. A large limit saves most of it.
export GOGC ?= 400
export GOMEMLIMIT ?= 2GiB

all: build

build: ## the command, in bin/
	$(GO) build -ldflags="$(LEAN)" -o $(BIN) ./cmd/polydag

cuda: ## the program that drives an NVIDIA card, in bin/; the command finds it there (Linux)
	$(GO) build -ldflags="$(LEAN)" -o bin/polydag-cuda ./gpu/polydag-cuda

hub: ## the program that distributes work over machines, in bin/
	$(GO) build -ldflags="$(LEAN)" -o bin/polydag-hub ./cluster/polydag-hub

images: ## the program that makes a table from images with a model in ONNX, in bin/
	$(GO) build -ldflags="$(LEAN)" -o bin/polydag-images ./images/polydag-images

demo: build ## learn from the embedded table and show the graph
	./$(BIN) demo

test: ## the tests of the core and the command, and a list of skipped tests
	$(GO) run test/runtests/main.go -vet=off -ldflags=-w -timeout 20m $$($(GO) list ./... | grep -vE '/polydag/($(WINGS))(/|$$)') # make lint vets

test-all: ## every test: make test, the wings, and test/, a module of its own with the libraries that only tests need
	@$(MAKE) --no-print-directory -j2 test-here test-there

test-here: test
	$(GO) run test/runtests/main.go -vet=off -ldflags=-w -timeout 20m $(patsubst %,./%/...,$(subst |, ,$(WINGS)))

test-there: # many of these wait for processes, so both modules run at once
	$(GO) run test/runtests/main.go -C test -p 1 -vet=off -timeout 20m ./...

# The tests that use several threads. Packages without a line here have no goroutines of their own.
THREADED := 'Share|SameBytes|Threads|AnyCut|CloseEnds|Cancelled|FirstFaultWins|WhileReaderHangs|Twin|ResumeEverywhere'
race: ## the tests that use several threads, under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -vet=off -race -short -run $(THREADED) ./internal/gemm ./matrix ./dataset ./dataset/csv ./search
	CGO_ENABLED=1 $(GO) test -vet=off -race -short ./internal/parallel ./internal/checkpoint ./cluster/work

race-all: ## all short tests under the race detector, those of polydag serve too, for which the whole program is compiled anew
	CGO_ENABLED=1 $(GO) test -race -short -timeout 1h ./...

noasm: ## the packages of kernels, on the portable kernels (everything: go test -tags noasm ./...)
	$(GO) test -vet=off -tags noasm -short ./internal/gemm/... ./lab/tape ./internal/vec/... ./matrix
	$(GO) test -C test -vet=off -tags noasm -short ./linalg

lint: vet ## formatting, vet, staticcheck
	$(GO) run $(STATICCHECK) ./...

vet: ## formatting and vet, which the gate runs
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) vet -C test ./...

cross: ## the assembly for arm64, and the types of files for other platforms; make dist compiles everything for each
	GOOS=linux GOARCH=arm64 $(GO) vet ./internal/gemm ./internal/vec
	POLYDAG_PLATFORMS=1 $(GO) test -vet=off -run TestOtherPlatforms ./docs

generate: ## assembly and embedded data anew; leaves no diff
	$(GO) generate ./...

web: ## the page anew from web/ (needs Node); leaves no diff
	cd web && npm install --no-save --no-audit --no-fund && npm run build && npm test
	$(GO) generate ./internal/page

webtest: build try ## the page, polydag serve and the program inside a page, in a real browser (needs Node; installs Chromium where it can)
	web/e2e/run.sh

wheels: ## the wheels of the Python package with the program for six platforms, and a pure one, in dist/wheels; ONLY=here for this machine's
	$(GO) run -C packaging ./wheels -only "$(ONLY)"

PYTHON ?= /usr/bin/python3
stubs: build ## the types of the Python package's settings, from polydag describe; leaves no diff
	POLYDAG_BINARY=$(CURDIR)/$(BIN) $(PYTHON) -B python/stubs.py

pythontest: build ## the Python package, its pages and its notebook (needs Python with numpy and pytest; more of it with pandas, networkx, scikit-learn and mypy; Debian's will do)
	@if $(PYTHON) -c 'import numpy, pytest' 2>/dev/null; then \
		POLYDAG_BINARY=$(CURDIR)/$(BIN) $(PYTHON) -B -m pytest -q -rs -p no:cacheprovider python/tests; \
	else echo "skipped: $(PYTHON) has no numpy or no pytest (Debian: python3-numpy python3-pandas python3-networkx python3-sklearn python3-pytest mypy python3-venv python3-nbclient python3-ipykernel)"; [ -z "$$REQUIRE_PROGRAMS" ]; fi

rtest: build ## the R package: R CMD check without errors, warnings and notes (needs R with jsonlite)
	r/check.sh $(CURDIR)/$(BIN)

try: ## the program inside a web page, as one file: out/try/index.html
	$(GO) run packaging/generate/try.go -output out/try/index.html

VERSION   ?= 0.1.0-dev
PLATFORMS ?=
dist: ## what a release has, in dist/: binaries, packages, wheels, images; PLATFORMS=linux/amd64 for one platform only
	$(GO) run -C packaging . -output ../dist -version $(VERSION) -platforms "$(PLATFORMS)"

disttest: ## the tests of what makes a release, with programs that stand in for the real ones
	$(GO) test -C packaging ./...

distcheck: ## what make dist makes for this machine: the same bytes twice, looked at by lintian, installed, run and removed
	packaging/check.sh

bench: build ## kernel speed, cost of constraints and steps, on this machine
	./$(BIN) bench

study: ## the figures of docs/explanation, docs/evidence/calibration.md and docs/evidence/classical.md, and two diagrams in out/ (hours)
	@mkdir -p out
	POLYDAG_STUDY=5 POLYDAG_FIGURE=$(CURDIR)/out/reliability.svg $(GO) test ./confidence -run '^TestStudyVerdicts$$' -v -count=1 -timeout=1h
	POLYDAG_STUDY=5 POLYDAG_FIGURE=$(CURDIR)/out/reliability-real.svg $(GO) test ./confidence -run '^TestStudyRealTables$$' -v -count=1
	POLYDAG_STUDY=1 $(GO) test ./confidence -run '^TestStudyAgreement$$' -v -count=1
	POLYDAG_STUDY=10 $(GO) test ./lab/series -run '^TestStudy' -v -count=1 -timeout=1h
	POLYDAG_STUDY=1 $(GO) test ./internal/questions -run '^TestStudy' -v -count=1
	POLYDAG_STUDY=5 $(GO) test ./command/internal/attribution -run '^TestStudy' -v -count=1 -timeout=1h
	POLYDAG_STUDY=5 $(GO) test ./images/causalvae -run '^TestStudy' -v -count=1 -timeout=2h
	POLYDAG_STUDY=5 $(GO) test ./command/internal/graphtest -run '^TestStudy' -v -count=1 -timeout=1h
	POLYDAG_STUDY=1 $(GO) test ./internal/learntest -run '^TestStudy|^TestClassical|^TestPublishedNetworks$$|^TestHalvesOfFaces$$|^TestSachs' -v -count=1 -timeout=6h

FUZZ ?= 20s
fuzz: ## 20 seconds on each fuzz target, with instrumented packages; FUZZ=10m for longer; make test tries fixed mutants of the seeds
	@git grep -o '^func Fuzz[A-Za-z]*' -- '*_test.go' | while IFS=: read -r file name; do \
		echo "$$file: $${name#func }"; \
		$(GO) test -C "$$(dirname "$$file")" -vet=off . -run '^$$' -fuzz "^$${name#func }$$" -fuzztime $(FUZZ) -fuzzminimizetime 1x || exit 1; \
	done

KILLS ?= 50
FAULTS ?= 3
torture: ## kills runs that keep their state, commands that write, and the workers, submitters and servers of a cluster (half an hour); KILLS=500 FAULTS=20 for more
	KILLS=$(KILLS) $(GO) test -C test -vet=off ./cli -run '^(TestKilledAndResumed|TestKilledWhileWriting|TestReproduceSurvivesKills)$$' -v -count=1 -timeout 6h
	POLYDAG_KILLS=$(KILLS) $(GO) test -vet=off ./internal/learntest -run '^TestKill$$' -v -count=1 -timeout 6h
	POLYDAG_FAULTS=$(FAULTS) $(GO) test -vet=off ./cluster/jetstream -run '^TestFaults$$' -v -count=1 -timeout 6h

PACKAGE ?= ./metric
mutate: ## mutants of one package that no test kills; PACKAGE=./solve for another
	$(GO) run $(GREMLINS) unleash --workers 1 --timeout-coefficient 10 --output-statuses lt $(PACKAGE)

clean:
	rm -rf bin dist out
