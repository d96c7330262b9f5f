# Development tasks; `make help` lists them.
PYTEST ?= pytest
EVERY ?= 10
SPARK_FREE = $(PYTEST) tests --ignore tests/spark
# The tests that compare with goldens, and those that run what pages and notebooks show of a session.
GOLDENS = tests/test_rule_words.py tests/test_remedies.py tests/test_writers.py tests/test_render.py tests/test_docs.py tests/test_cell_picture.py tests/test_public.py
OUTPUTS = tests/spark/test_doc_examples.py tests/spark/test_connect_server.py tests/spark/test_notebooks.py

.DEFAULT_GOAL := help
.PHONY: help setup check java format fast test all line docs bench goldens outputs coverage mutants rule vscode

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup:  ## install the development dependencies into the active environment
	pip install -e '.[dev]'

check:  ## check style, format, types and layers
	ruff check
	ruff format --check
	mypy
	lint-imports

java:  ## check the Java files with javac and clang-format, without Spark
	$(PYTEST) tests/test_java_style.py tests/spark/test_java.py -k "style or javac"

format:  ## format the Python and Java files
	ruff format
	git ls-files '*.java' | xargs clang-format -i

fast:  ## run the tests without Spark that are neither long nor many of a kind, on all cores
	$(PYTEST) --fast -n auto

test:  ## run the quick set: the tests without Spark and the main path of each Spark feature
	$(PYTEST) -n 2 --dist loadfile

all:  ## run all tests
	$(PYTEST) -n 2 --dist loadfile --all

docs:  ## build the site in ./site; warnings are errors
	mkdocs build --strict

line:  ## run a tenth of the Spark tests on another version of Spark: make line SPARK=4.0
	SPARK_LINE=$(SPARK) $(PYTEST) tests/spark --every $(EVERY)

bench:  ## run the benchmarks of the checker and the optimizer rules
	python tests/benchmarks/checker.py
	python tests/benchmarks/pruning.py
	python tests/benchmarks/time_functions.py

goldens:  ## update the golden files and the outputs in the documentation, and list the changed ones
	-$(PYTEST) -n 2 --update-goldens $(GOLDENS)
	git status --short

outputs:  ## update what pages and notebooks show of a session, and list the changed ones; needs Java
	-$(PYTEST) --update-goldens $(OUTPUTS)
	git status --short

coverage:  ## measure line and branch coverage of the tests without Spark; fails below the threshold
	$(SPARK_FREE) -n auto --cov --cov-report term-missing:skip-covered

mutants:  ## list the mutants that tests let live: make mutants PATHS=spark_iceberg_sql/quantities.py TESTS=tests/test_quantities.py, or PATHS=spark_iceberg_sql/syntax SAMPLE=100
	python -m tests.mutants $(PATHS) $(if $(TESTS),--tests $(TESTS)) $(if $(SAMPLE),--sample $(SAMPLE))

rule:  ## create the files of a new rule: make rule CODE=SIS599 NAME=identity-on-json SUMMARY="A ..."
	python -m tests.new_rule $(CODE) $(NAME) "$(SUMMARY)"

vscode:  ## the VS Code extension: style, types, its tests with the server of this checkout, and the .vsix; needs node
	cd editors/vscode && npm ci && npm test && npm run package
