# Go and make are all that the desk needs; `make` alone lists what there is.

GO ?= go

# What to hand to the desk: make run ARGS='--db shop.db'
ARGS ?=

# How long each fuzz target runs, which benchmarks run, and for how long.
FUZZTIME ?= 10s
BENCH ?= .
BENCHTIME ?= 1s

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The programs that the end-to-end tests drive, and the Debian packages that
# hold them.
E2E_TOOLS = tmux pgrep Xvfb xclip xterm xdotool script screen mosh-server sway wl-paste wtype foot kitty alacritty
E2E_PACKAGES = tmux procps xvfb xclip xterm xdotool bsdutils screen mosh sway wl-clipboard wtype foot kitty alacritty libgl1-mesa-dri

# Agents of others that the end-to-end tests drive where they are installed. No
# package of Debian holds them, so they are never required.
E2E_AGENTS = opencode

# No C anywhere but in the race detector. The version is set by hand in build,
# so Go need not ask git, which refuses in a checkout of another user.
export CGO_ENABLED = 0
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

.DEFAULT_GOAL := help
.PHONY: help run test race fuzz bench e2e e2e-deps lint check build clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Start the desk; ARGS='…' are its arguments.
	@$(GO) run ./cmd/copydesk $(ARGS)

test: ## Run the tests.
	$(GO) test -shuffle=on ./...

race: ## Run the tests with the race detector; needs a C compiler.
	@cc=$$($(GO) env CC); command -v $${cc%% *} >/dev/null || { \
		echo "make race: no C compiler ($$cc) was found, and the race detector needs one. Install gcc." >&2; exit 1; }
	CGO_ENABLED=1 $(GO) test -race -shuffle=on ./...

fuzz: ## Run every fuzz target for FUZZTIME (10s).
	@set -e; packages=$$($(GO) list ./...); for pkg in $$packages; do \
		found=$$($(GO) test -list '^Fuzz' $$pkg); \
		for target in $$(printf '%s\n' "$$found" | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

bench: ## Run the benchmarks; BENCH=regexp, BENCHTIME=1s.
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

e2e: ## Run the end-to-end tests; missing tools are skipped unless COPYDESK_E2E_REQUIRE=1.
	@missing=; for tool in $(E2E_TOOLS); do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; \
	done; \
	if [ -n "$$missing" ] && [ "$$COPYDESK_E2E_REQUIRE" = 1 ]; then \
		echo "make e2e: missing:$$missing. Run make e2e-deps." >&2; exit 1; \
	fi; \
	dirs=$$(find . -name '*_e2e_test.go' -exec dirname {} + | sort -u); \
	if [ -z "$$dirs" ]; then echo "make e2e: there are no end-to-end tests." >&2; exit 1; fi; \
	$(GO) test -tags e2e -count=1 -run E2E $$dirs || exit 1; \
	for tool in $$missing; do \
		echo "SKIPPED: what needs $$tool; it is not installed. Run make e2e-deps."; \
	done; \
	for agent in $(E2E_AGENTS); do \
		command -v $$agent >/dev/null || echo "SKIPPED: what needs the agent $$agent; it is not on PATH."; \
	done; \
	unshare -m mount -t tmpfs none /mnt 2>/dev/null || echo "SKIPPED: the full disk (R21); a small disk cannot be mounted here."

e2e-deps: ## Install what the end-to-end tests drive (Debian; as root).
	@if command -v apt-get >/dev/null; then \
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(E2E_PACKAGES) </dev/null; \
	else \
		echo "make e2e-deps: apt-get was not found. Install these programs with your system's packages: $(E2E_TOOLS)" >&2; exit 1; \
	fi

lint: ## Check the format, and run go vet and staticcheck.
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "Not formatted (run gofmt -w):" >&2; echo "$$out" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags e2e ./...
	$(GO) tool staticcheck -tags e2e ./...

check: lint test ## Run lint and the tests, which also hold the generated texts against their source.

build: ## Build the static binary bin/copydesk.
	$(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/copydesk ./cmd/copydesk

clean: ## Remove what was built.
	rm -rf bin
