// What the server is told of the editor's settings; what is empty is left to the project's own.

export interface Given {
  readonly select: readonly string[];
  readonly ignore: readonly string[];
  readonly severity: Readonly<Record<string, string>>;
}

export interface Options {
  readonly showsPlans: boolean;
  readonly settings: Given;
}

export function options(given: Given): Options {
  return { showsPlans: true, settings: given };
}

/** The parameter of workspace/didChangeConfiguration. */
export function changed(given: Given): { settings: { "iceberg-sql": Options } } {
  return { settings: { "iceberg-sql": options(given) } };
}

/** A path as the user wrote it, with the first folder and the home directory filled in. */
export function path(written: string, folder: string | undefined, home: string): string {
  return written
    .trim()
    .replace(/^~(?=[/\\]|$)/, home)
    .replaceAll("${workspaceFolder}", folder ?? ".");
}
