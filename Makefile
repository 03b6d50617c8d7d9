# polydag: `make demo` and `make test` need only Go and git.

GO      ?= go
BIN     := bin/polydag
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build demo test race noasm lint cross generate bench fuzz clean

all: build

build: ## the command, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN) ./cmd/polydag

demo: build ## learn from the embedded table and show the graph
	./$(BIN) demo

test: ## every test, every package
	$(GO) test ./...

race: ## the tests of what runs on several threads, under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short ./gemm/... ./matrix ./order ./study

noasm: ## the whole suite on the portable kernels
	$(GO) test -tags noasm ./...

lint: ## formatting, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

cross: ## builds for machines without our assembly
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) vet ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./...

generate: ## assembly and embedded data anew; leaves no diff
	$(GO) generate ./...

bench: build ## kernel speed, cost of constraints and steps, on this machine
	./$(BIN) bench

fuzz: ## a minute on each reader
	$(GO) test ./dataset -run '^$$' -fuzz FuzzReadCSV -fuzztime 60s

clean:
	rm -rf bin dist out
