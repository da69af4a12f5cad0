# Every target creates what it needs: a virtual environment in .venv, its groups of pyproject.toml, and the build.
# constraints.txt pins the versions used by the tests; `make constraints` updates it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Python caches the bytecode of imported modules even if the environment disables it, so pip need not compile everything.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(PIP) install --quiet --no-compile --constraint constraints.txt
# The shipped folders, from the list in pyproject.toml.
FOLDERS := proto $(shell sed -n '/shipped = false/d; s/.*{ folder = "\([a-z0-9/]*\)".*/\1/p' pyproject.toml)
SOURCES := setup.py MANIFEST.in pyproject.toml $(sort $(shell find $(FOLDERS) -type f -not -path '*/__pycache__/*' \
	-not -name '*.so' -not -name '*.pyc' 2>/dev/null))
CYTHON := $(filter %.pyx %.pxd %.h %.toml search/options.py setup.py,$(SOURCES))
PAGE := clients/web/dist/index.html
PAGE_SOURCES := $(shell find clients/web/src clients/typescript/src proto common/i18n server/lessons -type f -not -name '*.py*' -not -path '*/src/gen/*') \
	$(wildcard clients/web/*.json clients/web/*.mjs clients/web/*.py)
CHECKED := build/checked
WATCHED := build/watched
ENGINE := build/browser/package/dist/duel.wasm
ENGINE_SOURCES := $(wildcard clients/browser/*.* clients/browser/*/*)
SITE := build/site/sw.js
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
MAKEFLAGS += --jobs=3  # packages are installed while the extensions and the page are built

.PHONY: demo test test-system test-slow wheels release-check packages docs test-extras test-asan test-tsan loadtest curve soak lint reference baseline bench client board \
	engine-wasm site constraints clean

demo: $(VENV)/.built  ## one recommendation, end to end: build, server, search, table; then a hint that improves
	$(BIN)/clerestory show examples/positions/cathedral-3p-round4-draft.json
	$(BIN)/clerestory recommend examples/positions/cathedral-3p-round4-draft.json --time 1s --server private
	$(BIN)/clerestory analyze examples/positions/cathedral-3p-round4-draft.json --time 2s --server private
	@echo "To play in a browser: $(BIN)/clerestory serve --web 127.0.0.1:8080, then open http://127.0.0.1:8080/"

test: $(VENV)/.test  ## self-contained tests: no clock, no free core, no other process
	$(PYTEST)

# For example, TEST_OPTIONS=--allow-missing skips tests whose programs are not installed.
TEST_OPTIONS ?=
test-system: $(VENV)/.system $(SITE)  ## real processes, browsers, kills, databases, proxies, clients in other languages
	$(PYTEST) -m "system and not slow" $(TEST_OPTIONS)

# With loadgroup, one process runs all tests of an xdist_group, so shared fixtures are built once.
EXTRAS := tests/search/arena/test_on_ray.py tests/search/openspiel tests/clients/envs/test_openspiel.py
test-slow: $(VENV)/.system  ## long tests: packages built in isolation, long comparisons
	$(PYTEST) --dist loadgroup -m slow --timeout 3600 $(EXTRAS:%=--ignore %) $(TEST_OPTIONS)

test-extras: $(VENV)/.test  ## the tests that need large packages: Ray, OpenSpiel
	$(INSTALL) --group extras
	$(PYTEST) -m '' $(EXTRAS)

test-asan: $(CHECKED)/.built  ## engine and search with bounds checks, AddressSanitizer and UBSan
	PYTHONPATH=$(CHECKED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	$(BIN)/python -m pytest -p no:cacheprovider tests/engine tests/search tests/clients/envs/test_vector.py

test-tsan: $(WATCHED)/.built  ## threads that share a tree, counted to the last visit, with ThreadSanitizer
	PYTHONPATH=$(WATCHED) TSAN_OPTIONS=halt_on_error=1 LD_PRELOAD="$$(gcc -print-file-name=libtsan.so)" \
	setarch --addr-no-randomize $(BIN)/python -m pytest -p no:cacheprovider -p no:xdist --timeout 0 \
	tests/search/loop/test_sharing.py tests/search/memory/test_sweep.py

# Interpreters, such as WHEELS="python3.11 python3.13"; each must be able to create virtual environments.
WHEELS ?= $(PYTHON)
wheels: $(PAGE)  ## a wheel for each of $(WHEELS) in dist/: built, repaired, installed without a compiler, tried
	rm -rf build/source && mkdir -p build/source
	$(BIN)/python setup.py --quiet sdist --formats tar --dist-dir build/source
	tar -xf build/source/*.tar -C build/source
	$(BIN)/python -m tools.wheels build/source/clerestory-*/ dist $(WHEELS)

# For example, RELEASE_OPTIONS=--reuse checks the wheels in dist/ again.
RELEASE_OPTIONS ?=
release-check: packages $(VENV)/.release  ## all artifacts of a release in dist/, each installed, tried and listed
	$(BIN)/python -m tools.release dist $(WHEELS) $(RELEASE_OPTIONS)

packages: $(ENGINE) $(VENV)/.built  ## the npm packages of a release in dist/: client, board and engine
	$(BIN)/python clients/typescript/pack.py dist && $(BIN)/python clients/board/pack.py dist && cp build/browser/*.tgz dist/

docs: $(VENV)/.docs  ## the documents as a site in build/manual: search, the Python and TypeScript API, links checked
	$(BIN)/python -m tools.site
	$(BIN)/zensical build --clean --strict --config-file mkdocs.yml

loadtest: $(VENV)/.load  ## a minute of users on a private server; fails beyond the thresholds; report in build/loadtest.html
	$(BIN)/python -m loadtest.users

curve: $(VENV)/.load  ## 0.1x to 20x capacity, five and a half minutes; docs/pictures
	$(BIN)/python -m loadtest.curve

SOAK_SECONDS ?= 3600
soak: $(VENV)/.test  ## an hour each: two servers and PostgreSQL; twice the capacity; and a thousand kills under full load
	$(BIN)/python -m loadtest.faults.fleet --seconds $(SOAK_SECONDS)
	CLERESTORY_SOAK_SECONDS=$(SOAK_SECONDS) $(BIN)/python -m pytest -m slow tests/faults/test_soak.py --timeout 0

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(BIN):$$PATH cython-lint engine search server clients/envs tools
	$(BIN)/mypy
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against proto/baseline.binpb
	$(BIN)/mdformat --check $(shell git ls-files '*.md' ':!docs/reference.md')
	$(BIN)/python clients/web/lint.py

reference: $(VENV)/.built  ## docs/reference.md, from the comments in proto/ and the declarations in the code
	$(BIN)/python -m tools.reference

baseline: $(VENV)/.lint  ## the API that `buf breaking` compares proto/ with: at a release, or after an intended break
	$(BIN)/buf build --exclude-source-info --output proto/baseline.binpb

bench: $(VENV)/.built
	for seats in 2 3 4; do \
		$(BIN)/clerestory bench engine --game cathedral --seats $$seats && \
		$(BIN)/clerestory bench search --game cathedral --seats $$seats || exit 1; \
	done
	$(BIN)/clerestory bench engine --game duel --seats 2
	$(BIN)/clerestory bench search --game duel --seats 2

constraints: $(VENV)/.system
	$(PIP) install --quiet --group extras --group wasm --group release
	$(PIP) freeze --exclude-editable --exclude clerestory > constraints.txt

clean:
	rm -rf build dist *.egg-info $(VENV)
	find common engine search server clients/envs -name '*.so' -delete

# The interpreter's pip installs a newer pip faster than `venv` does; if it is missing or too old, `venv` is used.
$(VENV)/.tools: pyproject.toml constraints.txt
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile 'pip>=25.1' 2> /dev/null \
		|| { $(BIN)/python -m ensurepip --default-pip && $(PIP) install --quiet 'pip>=25.1'; }
	$(INSTALL) --group build --group web
	touch $@

client: $(VENV)/.tools  ## the client for TypeScript, packed for npm in dist/
	$(BIN)/python clients/typescript/pack.py dist

board: $(VENV)/.built  ## the boards as a web component, packed for npm in dist/
	$(BIN)/python clients/board/pack.py dist

engine-wasm: $(ENGINE)  ## the engine for browsers and Node without a server, packed for npm in build/browser/

$(ENGINE): $(VENV)/.wasm $(ENGINE_SOURCES)
	$(BIN)/python clients/browser/pack.py build/browser

site: $(SITE)  ## the page that plays without a server, as files for any host, in build/site/

$(SITE): $(ENGINE) $(PAGE_SOURCES)
	$(BIN)/python clients/web/offline.py build/site

$(VENV)/.wasm: $(VENV)/.built
	$(INSTALL) --group wasm
	touch $@

$(PAGE): $(VENV)/.tools $(PAGE_SOURCES)
	$(BIN)/python clients/web/build.py

build/.extensions: $(VENV)/.tools $(CYTHON)
	mkdir -p build
	$(BIN)/python setup.py --quiet build_ext > build/extensions.log 2>&1 || { cat build/extensions.log; exit 1; }
	touch $@

$(VENV)/.packages: $(VENV)/.tools
	mkdir -p build
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
		> build/requirements.txt
	$(INSTALL) --requirement build/requirements.txt
	touch $@

$(VENV)/.built: build/.extensions $(VENV)/.packages $(SOURCES) $(PAGE)
	$(PIP) install --no-deps --no-build-isolation --editable . --config-settings editable_mode=strict \
		> build/install.log 2>&1 || { cat build/install.log; exit 1; }
	touch $@

$(VENV)/.test-packages: $(VENV)/.packages
	$(INSTALL) --group test
	touch $@

$(VENV)/.test: $(VENV)/.built $(VENV)/.test-packages
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(INSTALL) --group lint
	touch $@

$(VENV)/.docs: $(VENV)/.built
	$(INSTALL) --group docs
	touch $@

$(VENV)/.release: $(VENV)/.built
	$(INSTALL) --group release
	touch $@

$(VENV)/.load: $(VENV)/.test
	$(INSTALL) --group load
	touch $@

$(VENV)/.system: $(VENV)/.test
	$(INSTALL) --group lint --group load --group docs
	touch $(VENV)/.lint $(VENV)/.load $(VENV)/.docs $@

$(CHECKED)/.built: $(VENV)/.test
	rm -rf $(CHECKED)
	CLERESTORY_BUILD=checked $(PIP) install --quiet --no-deps --no-build-isolation --target $(CHECKED) .
	touch $@

$(WATCHED)/.built: $(VENV)/.test
	rm -rf $(WATCHED)
	CLERESTORY_BUILD=watched CFLAGS="-fsanitize=thread -g" LDFLAGS=-fsanitize=thread \
	$(BIN)/python setup.py --quiet build --build-base build/base-watched --build-lib $(WATCHED)
	touch $@
