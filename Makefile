# Everything the project does, in a line each: make help.
.DEFAULT_GOAL := help
.PHONY: help demo test bench lint vectors

GO        ?= go
PORT_BASE ?= 8080
export CGO_ENABLED ?= 0
export GO
export PACKAGES

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

demo: ## start hub, Lagos and Berlin (PORT_BASE=9080 moves them, FRESH=1 starts over)
	@sh .ci/go-version
	@$(GO) run ./cmd/demo --port-base $(PORT_BASE) $(if $(FRESH),--fresh)

test: ## all tests but the long ones, with what they need (PACKAGES=./game tests one room)
	@sh .ci/go-version
	@sh .ci/test

bench: ## print each measured figure beside its goal
	@sh .ci/go-version
	@sh .ci/bench

lint: ## formatting, vet, staticcheck
	@sh .ci/lint

vectors: ## write sgip/vectors/*.json anew
	@$(GO) generate ./sgip/vectors
