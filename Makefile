# Everything that one does here, by name. `make help` lists it.
PYTEST ?= pytest
SPARK_FREE = $(PYTEST) tests --ignore tests/spark

.DEFAULT_GOAL := help
.PHONY: help setup check java format fast test docs bench goldens coverage mutants rule

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup:  ## what development needs, into the active environment
	pip install -e '.[dev]'

check:  ## style, format, types, layers
	ruff check
	ruff format --check
	mypy
	lint-imports

java:  ## what javac and the rules of style say of the Java files; starts no Spark
	$(PYTEST) tests/test_java_style.py tests/spark/test_java.py -k "style or javac"

format:  ## write the Python and Java files as their formatters do
	ruff format
	git ls-files '*.java' | xargs clang-format -i

fast:  ## the tests that need no Spark, without the thorough ones, on all cores
	$(SPARK_FREE) -n auto -m "not thorough"

test:  ## all tests
	$(PYTEST) -n 2 --dist loadfile

docs:  ## the site, into ./site; a warning is an error
	mkdocs build --strict

bench:  ## the checker's and the optimizer rules' benchmarks: ratios, side by side
	python tests/benchmarks/checker.py
	python tests/benchmarks/pruning.py
	python tests/benchmarks/time_functions.py

goldens:  ## write the goldens anew; then read the difference
	-$(PYTEST) --update-goldens tests/test_rule_words.py tests/test_render.py tests/test_cli.py
	git diff --stat

coverage:  ## the tests without Spark, with the lines and branches that they reach; fails below the floor
	$(SPARK_FREE) -n auto --cov --cov-report term-missing:skip-covered

mutants:  ## mutation testing of the modules that [tool.mutmut] in pyproject.toml names
	pip install -q 'mutmut>=3.3'
	mutmut run
	mutmut results

rule:  ## the files of a new rule: make rule CODE=SIS506 NAME=identity-on-json SUMMARY="A ..."
	python -m tests.new_rule $(CODE) $(NAME) "$(SUMMARY)"
