# Everything happens in .venv; `make run` needs nothing but Python 3.11 to 3.13.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
ARGS ?=
# One more than processors: some tests wait for a server or a browser. Lint runs beside them, and
# each worker imports and collects all tests for itself.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
RAY_TESTS := tests/api/scale/test_ray.py tests/api/bulk/test_on_ray.py

.PHONY: run test test-nightly test-ray pytest lint bench train install install-dev install-train install-ray clean

run: install  ## start the service and print its address; HUPAI_PORT=9000 make run takes another port
	$(BIN)/hupai serve $(ARGS)

test: install-dev  ## what continuous integration runs: lint and all tests but the slow ones, side by side
	@$(MAKE) --no-print-directory -j2 lint pytest

test-nightly: export HUPAI_TEST_PROFILE := nightly
test-nightly: install-dev  ## lint and all tests, with ten times as many random examples, new ones, and on Ray
	@$(MAKE) --no-print-directory -j3 lint pytest test-ray

# Compiled modules are kept even where the environment says not to: every worker and every program
# that a test starts would compile them anew.
pytest test-ray: export PYTHONDONTWRITEBYTECODE :=
pytest: install-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-ray: install-ray  ## all tests on a local Ray cluster; HUPAI_TEST_PROFILE=nightly: with 300 photos
	$(VENV)-ray/bin/python -m pytest $(RAY_TESTS) tests/api/scale/test_ray_deployed.py

lint: install-dev  ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: install-dev  ## programs that print tables; none of them is a test
	$(BIN)/python -m benchmarks

train: install  ## train detector and classifier, export to ONNX; resumes where it stopped; see docs/training.md
	@$(BIN)/python -m hupai.models.training --can-begin --resume $(ARGS)
	@$(MAKE) --no-print-directory install-train
	$(BIN)/python -m hupai.models.training --resume $(ARGS)

install: $(VENV)/.base
install-dev: $(VENV)/.dev
install-train: $(VENV)/.train

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v <= (3, 13) else "Hupai needs Python 3.11, 3.12 or 3.13: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@# The pip that comes with Python may be years old, and take twice as long to choose versions.
	$(PIP) install --upgrade -c constraints.txt pip || echo "pip is not upgraded; going on with the old one."

$(VENV)/.base: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Hupai and its libraries into $(VENV); this takes about a minute."
	$(PIP) install -c constraints.txt -e .
	touch $@

# --no-compile: most modules of these libraries are never imported, and compiling all takes 20 seconds.
$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Hupai, its libraries and the development tools into $(VENV)."
	$(PIP) install --no-compile -c constraints.txt -e '.[dev]'
	touch $@ $(VENV)/.base

$(VENV)/.train: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install -c constraints.txt -e '.[train]'
	touch $@ $(VENV)/.base

# Not part of the development install, as Ray brings another event loop and HTTP parser for the
# service: an environment with Ray alone, which finds everything else in the development install.
install-ray: $(VENV)-ray/.ray

$(VENV)-ray/.ray: $(VENV)/.dev
	@echo "Installing Ray into $(VENV)-ray."
	$(BIN)/python -m venv --clear --without-pip $(VENV)-ray
	$(BIN)/python -c "import site; print('import site; site.addsitedir(%r)' % site.getsitepackages()[0])" \
	    > "$$($(VENV)-ray/bin/python -c 'import site; print(site.getsitepackages()[0])')/development.pth"
	$(VENV)-ray/bin/python -m pip --quiet --disable-pip-version-check install --no-compile -c constraints.txt -e '.[ray]'
	touch $@

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(VENV)-ray build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
