"""Spark's lexer, Spark's parser and Iceberg's routing over many texts at once, by `SparkGrammar.java`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.gate import requests

Ask = Callable[[str, list[str]], list[str]]


@cache  # py4j identifies classes by name: it would confuse a second class of the same name with the first
def compiled(spark: SparkSession) -> Ask:
    """A function of a task ("tokens", "plan" or "routing") and texts that returns an answer for each text."""
    jvm: Any = spark._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.Thread.currentThread().getContextClassLoader())
    compiler.cook(Path(__file__).with_name("SparkGrammar.java").read_text(encoding="utf-8"))
    grammar = compiler.getClassLoader().loadClass("SparkGrammar").newInstance()
    parser = requests.parser_without_gate(spark)

    def ask(task: str, texts: list[str]) -> list[str]:
        arguments = spark.sparkContext._gateway.new_array(jvm.Object, 3)
        arguments[0], arguments[1], arguments[2] = parser, task, "\x01".join(texts)
        answers: list[str] = grammar.apply(arguments).split("\x01")
        return answers

    return ask
