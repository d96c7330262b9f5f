// Which command serves: the one that the settings name, or the first that answers. Knows nothing of VS Code.

import { spawn } from "node:child_process";

export interface Command {
  /** The program to run. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where it comes from, for the user. */
  readonly source: string;
}

export interface Choice {
  /** The setting `icebergSql.command`. */
  readonly command: string;
  /** The setting `icebergSql.interpreter`. */
  readonly interpreter: string;
  /** The setting `icebergSql.args`. */
  readonly args: readonly string[];
  /** The interpreter that the Python extension has selected, if there is one. */
  readonly selected?: string;
}

export interface Failure {
  readonly command: Command;
  /** Why it does not serve, in its own words. */
  readonly why: string;
}

export class NoServerError extends Error {
  constructor(
    readonly failures: readonly Failure[],
    readonly install: string,
  ) {
    super(`iceberg-sql is not installed: run ${install}`);
  }
}

const PACKAGE = "spark-iceberg-sql[lsp]";
// `-m` would import modules from the workspace.
export const START =
  "import sys; sys.path[:] = filter(None, sys.path); from spark_iceberg_sql.cli import entry; entry()";
const PATIENCE = 20_000;

/** The commands to try, in order; one that the settings name is the only one. */
export function candidates(choice: Choice): Command[] {
  const server = ["server", ...choice.args];
  if (choice.command) {
    return [{ program: choice.command, args: server, source: "the setting icebergSql.command" }];
  }
  const module = (program: string, source: string): Command => ({
    program,
    args: ["-c", START, ...server],
    source,
  });
  if (choice.interpreter) {
    return [module(choice.interpreter, "the setting icebergSql.interpreter")];
  }
  const found = [{ program: "iceberg-sql", args: server, source: "the search path" }];
  return choice.selected ? [module(choice.selected, "the Python extension"), ...found] : found;
}

/** What installs the server where the user's programs run. */
export function installation(choice: Choice): string {
  const named = [choice.interpreter, choice.selected ?? ""].find((program) => program !== "");
  return `${quoted(named ?? "python")} -m pip install "${PACKAGE}"`;
}

function quoted(program: string): string {
  return /\s/.test(program) ? `"${program}"` : program;
}

/** The first command that serves. Throws NoServerError with what each of them said. */
export async function find(choice: Choice, cwd?: string): Promise<Command> {
  const failures: Failure[] = [];
  for (const command of candidates(choice)) {
    const why = await failure(command, cwd);
    if (why === undefined) {
      return command;
    }
    failures.push({ command, why });
  }
  throw new NoServerError(failures, installation(choice));
}

/** Why a command does not serve; undefined if it does. A server ends when its input does, and needs no message for it. */
export function failure(command: Command, cwd?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command.program, command.args, { cwd, stdio: ["pipe", "ignore", "pipe"] });
    let said = "";
    const timer = setTimeout(() => {
      child.kill();
      resolve(`it did not answer within ${String(PATIENCE / 1000)} seconds`);
    }, PATIENCE);
    child.stderr.on("data", (data: Buffer) => (said += data.toString()));
    child.stdin.on("error", () => undefined);
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(error.code === "ENOENT" ? "there is no such program" : error.message);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      // Without a farewell the server ends with 1, as the protocol asks, and says nothing.
      const served = code === 0 || (code === 1 && said.trim() === "");
      const why = last(said);
      resolve(served ? undefined : why === "" ? `it ended with ${String(code)}` : why);
    });
    child.stdin.end();
  });
}

function last(text: string): string {
  return text.trim().split(/\r?\n/).at(-1)?.trim() ?? "";
}
