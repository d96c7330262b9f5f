"""The magics `%%iceberg_sql` and `%iceberg_sql`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from traitlets import Bool, CaselessStrEnum, Int, TraitError, Unicode, validate

from spark_iceberg_sql.errors import IcebergSqlError, JavaError
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.notebook.catalog_commands import catalog_command, history_count, view_of
from spark_iceberg_sql.notebook.cells.cell import Cell
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.notebook.cells.engines import engine_of
from spark_iceberg_sql.notebook.cells.magic_options import (
    FRAME_TYPES,
    MAX_ROWS,
    Options,
    cell_options,
    checked_variable_name,
    line_options,
)
from spark_iceberg_sql.notebook.cells.reading_limit import SETTING, bytes_of
from spark_iceberg_sql.notebook.cells.runner import Runner
from spark_iceberg_sql.notebook.cells.statement_worker import Output, StatementWorker, can_redraw
from spark_iceberg_sql.notebook.display.pages import Pages
from spark_iceberg_sql.notebook.errors import plain_errors
from spark_iceberg_sql.notebook.errors.plain_errors import with_stack
from spark_iceberg_sql.notebook.results.history import Recorder
from spark_iceberg_sql.notebook.results.saved_results import SavedResults
from spark_iceberg_sql.spark import remote
from spark_iceberg_sql.spark.bridge.jvm import gateway, process, shims
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

T = TypeVar("T")
_HELP = ("", "help", "--help", "-h", "?")  # what a line magic shows its own description for


@magics_class
class IcebergSql(Magics):  # type: ignore[misc]
    """`%%iceberg_sql`; its defaults are set by `%config IcebergSql.limit = 50`."""

    limit = Int(20, min=0, max=MAX_ROWS, help="how many rows of a result are shown").tag(config=True)
    kept = Int(
        1_000, min=0, max=MAX_ROWS, help="how many rows of a result are fetched when it runs, for its further pages"
    ).tag(config=True)
    quiet = Bool(False, help="show no rows").tag(config=True)
    in_place = Bool(True, help="sort, search and page rows in the output, which then has up to 64 kB of them").tag(
        config=True
    )
    frame_type = CaselessStrEnum(FRAME_TYPES, "spark", help="the type of the variable that a named cell assigns").tag(
        config=True
    )
    confirm_above = Unicode(
        "", help="the size that a cell may read without --yes, such as '10 GB'; empty for any size"
    ).tag(config=True)
    traceback = Bool(False, help="show errors with Python's and Java's stack").tag(config=True)

    def __init__(self, shell: InteractiveShell) -> None:
        _forget_refused(shell)
        super().__init__(shell=shell)
        self.displayed: WeakSet[DataFrame] = WeakSet()
        self._recorder, self._saved = Recorder(), SavedResults()
        self._remedy: str | None = None  # the corrected cell, after one that failed
        # The rows of the last result, under the name "", and of each named one.
        self._pages: dict[str, tuple[DataFrame | None, Pages]] = {}

    @validate("confirm_above")  # type: ignore[untyped-decorator]
    def _checked_size(self, proposal: Mapping[str, Any]) -> str:
        value = str(proposal["value"]).strip()
        if value and bytes_of(value) is None:
            raise TraitError(f"{SETTING} is a size such as '10 GB', or '' for any size, not '{value}'")
        return value

    @no_var_expand  # type: ignore[untyped-decorator]
    @needs_local_scope  # type: ignore[untyped-decorator]
    @line_cell_magic  # type: ignore[untyped-decorator]
    def iceberg_sql(
        self, line: str, cell: str | None = None, local_ns: Mapping[str, Any] | None = None
    ) -> DataFrame | Result | None:
        """Check and run SQL.

            %%iceberg_sql [name] [--limit N] [--plan] [--check] [--explain] [--fix] [--quiet] [--traceback]
                          [--yes] [--save VIEW] [--chart KIND] [--csv FILE] [--parquet FILE]
                          [--pandas | --polars | --arrow]
            SELECT ... ;

            %iceberg_sql [--limit N] [...] SELECT ...
            %iceberg_sql --next [N] | --previous [N] | --copy [name] | --fix
            %iceberg_sql tables [catalog, namespace, table or pattern] | describe TABLE
            %iceberg_sql history [N] | help

        All statements are checked before the first one runs. {name} and :name are Python variables, passed as values;
        {name} may be a DataFrame. The last result is a DataFrame, in the variables `name` and `_`.

        --limit N     show N rows
        --plan        show what each statement would do to its table's partitioning; nothing runs
        --check       show what is wrong; nothing runs
        --explain     show what each query would read, and Spark's plan; no data is read
        --fix         replace this cell with a corrected one; nothing runs
        --quiet       show no rows
        --save VIEW   make the result a temporary view, for later cells
        --chart KIND [x=COLUMN] [y=COLUMN]
                      draw the whole result; KIND is line, bar or scatter
        --csv FILE    write the whole result to a file; --parquet FILE likewise
        --pandas      assign a DataFrame of pandas to the variable; --polars, --arrow likewise
        --yes         read more than `%config IcebergSql.confirm_above` allows
        --traceback   show errors with Python's and Java's stack
        --next N      show the next N rows of the last result, or of `name`; nothing runs
        --previous N  show the N rows before these; nothing runs
        --copy        show all fetched rows as tab-separated values, which one click selects
        """
        settings = ("limit", "quiet", "traceback", "in_place", "kept", "confirm_above")
        defaults = Options(**{name: getattr(self, name) for name in settings})
        if cell is None:
            if line.strip().lower() in _HELP:
                Output(False).result({"text/plain": inspect.cleandoc(self.iceberg_sql.__doc__ or "")})
                return None
            options, text = line_options(line, defaults)
            if options.turn:
                self._show_page(options, text)
                return None
            if options.fix and not text:
                self._correct()
                return None
            if (command := catalog_command(text)) is not None:
                if command[0] == "history":
                    return self._recorder.last(history_count(command[1]))
                return self._show_catalog(options, *command)
            if not text:
                option = line.split()[0] if options.file or options.chart is not None else ""
                raise IcebergSqlError(
                    "there is no SQL",
                    help=f"write %%iceberg_sql {line.strip()} above a query"
                    if option
                    else "%iceberg_sql SELECT ..., or %%iceberg_sql and SQL below it",
                )
            prefix = "%iceberg_sql " + line[: len(line.rstrip()) - len(text)]
        else:
            options, text = cell_options(line, defaults), cell
            prefix = self._cell_prefix(line, cell)
        if not options.frame_type:
            options = replace(options, frame_type=self.frame_type if options.name else "spark")
        elif cell is not None and options.name is None and options.frame_type != "spark":
            raise IcebergSqlError(
                f"--{options.frame_type} is the type of the result's variable, and this cell names none",
                help=f"write %%iceberg_sql rows --{options.frame_type}",
            )
        spark = self._session()
        current_value = self.shell.user_ns.get(options.name or "")
        if isinstance(current_value, SparkSession) or (is_remote(current_value) and hasattr(current_value, "sql")):
            raise IcebergSqlError(f"`{options.name}` is the Spark session", help="give the result another name")
        variables = {**self.shell.user_ns, **(local_ns or {})}
        session_engine = engine_of(spark)
        worker = StatementWorker(session_engine, can_redraw(self.shell))
        source = Cell(text, prefix)
        runner = Runner(session_engine, source, options, variables, worker, self._recorder, self._saved)
        try:
            result = self._run_in(worker, runner.run, options, runner.text)
        finally:
            self._remedy = runner.remedy
        if options.runs:  # `--next` shows the last result, which a cell that fails does not replace
            self._pages.pop("", None)
        if runner.corrected is not None:
            self.shell.set_next_input(runner.corrected, replace=cell is not None)
        if result is None:
            return None
        self.displayed.add(result)
        value = result if runner.converted is None else runner.converted
        if options.name is not None:
            self.shell.user_ns[options.name] = value
        if runner.pages is not None:
            for name in {"", options.name or ""}:
                self._pages[name] = value, runner.pages
        # A cell has shown the rows already, which Spark's DataFrame knows and another library's does not.
        return value if cell is None or runner.converted is None else None

    def _show_page(self, options: Options, name: str) -> None:
        """Show other rows of a result that is there. name: of its variable; empty for the last result."""
        if name:
            checked_variable_name(name)
        frame, pages = self._pages.get(name, (None, None))
        if name and frame is not self.shell.user_ns.get(name):
            pages = None
        if pages is None:
            subject = f"`{name}` is not a result" if name else "there is no result"
            raise IcebergSqlError(
                f"{subject} whose rows were shown by %%iceberg_sql", help="run the cell with the query first"
            )
        is_back = options.turn == "previous"
        bundle = pages.as_tsv() if options.turn == "copy" else pages.turn_page(is_back, options.page)
        Output(False).result(bundle)

    def _correct(self) -> None:
        """Put the corrected cell into a new one."""
        if self._remedy is None:
            raise IcebergSqlError(
                "the last %%iceberg_sql cell has no error with one correction\n"
                "help: --fix on a cell's first line fixes what its check finds"
            )
        self.shell.set_next_input(self._remedy)

    def _show_catalog(self, options: Options, command: str, argument: str | None) -> Result:
        spark = self._session()
        worker = StatementWorker(engine_of(spark), can_redraw(self.shell))

        def body() -> Result:
            output = worker.begin(command)
            try:
                return view_of(spark, command, argument)
            finally:
                output.result(None)

        return self._run_in(worker, body, options, "")

    def _run_in(self, worker: StatementWorker, body: Callable[[], T], options: Options, text: str) -> T:
        """Run a function in a worker thread. text: the SQL, of which an error shows no secrets."""
        try:
            return worker.run(body)
        except Exception as error:
            if not isinstance(error, JavaError) and process.has_ended_by(error):
                raise process.ended_error() from None
            is_explained = isinstance(error, (IcebergSqlError, PySparkException, *JVM_ERRORS))
            if options.traceback or not is_explained:
                raise with_stack(error, text) from None
            raise

    def _cell_prefix(self, line: str, cell: str) -> str:
        """The cell's text before the SQL."""
        history = getattr(self.shell.history_manager, "input_hist_raw", None)
        raw = str((history or self.shell.user_ns.get("In") or [""])[-1])
        if raw.endswith(cell):
            return raw[: len(raw) - len(cell)]
        return f"%%iceberg_sql {line}".rstrip() + "\n"

    def _session(self) -> SparkSession:
        user_session = self.shell.user_ns.get("spark")
        if not isinstance(user_session, SparkSession) and not is_remote(user_session):
            user_session = SparkSession.getActiveSession()
        session: SparkSession | None = user_session
        if session is not None and is_remote(session):
            if shims.SPARK_VERSION < (4, 0):
                raise IcebergSqlError(
                    "%%iceberg_sql needs Spark 4.0 or newer for a session of Spark Connect\n"
                    "help: write spark.sql(...) in this session"
                )
            plain_errors.install_remote()
            remote.refuse_lost(session)
            return session
        if session is None or not gateway.is_running():
            raise IcebergSqlError(
                "no Spark session is running\nhelp: import spark_iceberg_sql as sis; spark = sis.session()"
            )
        return session

    def is_shown(self, frame: DataFrame) -> None:
        """IPython's display of a DataFrame: empty if this cell has already shown its rows."""
        if frame not in self.displayed:
            raise NotImplementedError  # then IPython falls back to its own display

    def forget(self, *_: object) -> None:
        """After a cell: DataFrames shown in it may be displayed again."""
        self.displayed.clear()


def _forget_refused(shell: InteractiveShell) -> None:
    """Remove refused defaults from the shell's settings, where `%config` leaves them."""
    settings = shell.config.get("IcebergSql", {})
    for name, value in list(settings.items()):
        trait = IcebergSql.class_traits(config=True).get(name)
        try:
            if trait is not None:
                trait.validate(None, value)
        except TraitError:
            del settings[name]
