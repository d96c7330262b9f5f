// Starts `iceberg-sql server` for SQL, Python and notebooks, and shows how it fares.

import { homedir } from "node:os";

import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";

import { find, NoServerError, type Choice, type Command } from "./command";
import { onChange, selected } from "./python";
import { changed, options, path, type Given } from "./settings";

const SECTION = "icebergSql";
const PLAN = "iceberg-sql.plan";
const LANGUAGES = ["sql", "spark-sql", "python"];
// Languages of the files in dbt projects, which no notebook has.
const OF_DBT = ["jinja-sql", "yaml"];
// Settings that only another server can follow.
const STARTING = ["enable", "command", "interpreter", "args"];

class Extension implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> = Promise.resolve();
  private readonly output: vscode.OutputChannel = vscode.window.createOutputChannel("Iceberg SQL");
  private readonly status = vscode.languages.createLanguageStatusItem("icebergSql", LANGUAGES);
  private readonly plans = new Plans();
  private readonly others: vscode.Disposable[] = [];

  constructor() {
    this.status.name = "Iceberg SQL";
    this.status.command = { command: "icebergSql.showOutput", title: "Show Output" };
    this.others.push(
      vscode.workspace.registerTextDocumentContentProvider(Plans.scheme, this.plans),
      vscode.commands.registerCommand("icebergSql.restart", () => this.restart()),
      vscode.commands.registerCommand("icebergSql.showOutput", () => {
        this.output.show(true);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => this.configured(event)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
  }

  async activate(): Promise<void> {
    const python = await onChange(() => void this.restart());
    this.others.push(...(python === undefined ? [] : [python]));
    await this.restart();
  }

  /** Stops the server and starts it anew; one after another, however often it is asked. */
  restart(): Promise<void> {
    this.starting = this.starting.then(async () => {
      await this.stop();
      if (setting<boolean>("enable", true)) {
        await this.start();
      } else {
        this.say("off", vscode.LanguageStatusSeverity.Information);
      }
    });
    return this.starting;
  }

  private async start(): Promise<void> {
    this.say("starting", vscode.LanguageStatusSeverity.Information, true);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    let command: Command;
    try {
      command = await find(await choice(folder), folder?.fsPath);
    } catch (error) {
      this.missing(error);
      return;
    }
    this.output.appendLine(`${command.source}: ${[command.program, ...command.args].join(" ")}`);
    const place = folder === undefined ? {} : { options: { cwd: folder.fsPath } };
    const server = { command: command.program, args: [...command.args], ...place };
    this.client = new LanguageClient(SECTION, "Iceberg SQL", server, this.clientOptions());
    this.client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.say("running", vscode.LanguageStatusSeverity.Information);
      } else if (newState === State.Stopped) {
        this.say("stopped", vscode.LanguageStatusSeverity.Warning);
      }
    });
    try {
      await this.client.start();
    } catch (error) {
      this.missing(error);
    }
  }

  private clientOptions(): LanguageClientOptions {
    const cells = LANGUAGES.map((language) => ({ scheme: "vscode-notebook-cell", language }));
    const texts = ["file", "untitled"].flatMap((scheme) =>
      LANGUAGES.map((language) => ({ scheme, language })),
    );
    return {
      documentSelector: [...texts, ...cells, ...OF_DBT.map((language) => ({ scheme: "file", language }))],
      initializationOptions: options(given()),
      outputChannel: this.output,
      middleware: {
        executeCommand: async (command, args, next) => {
          const result: unknown = await next(command, args as unknown[]);
          if (command === PLAN && typeof result === "string") {
            await this.plans.show(result);
          }
          return result;
        },
      },
    };
  }

  private missing(error: unknown): void {
    this.say("not running", vscode.LanguageStatusSeverity.Error);
    if (!(error instanceof NoServerError)) {
      this.output.appendLine(String(error));
      void vscode.window.showErrorMessage(`Iceberg SQL: the server did not start: ${String(error)}`);
      return;
    }
    for (const { command, why } of error.failures) {
      this.output.appendLine(`${command.source}: ${[command.program, ...command.args].join(" ")}: ${why}`);
    }
    const [copy, off, output] = ["Copy Command", "Turn Off in Workspace", "Show Output"] as const;
    const message = `Iceberg SQL needs the command iceberg-sql. Install it with: ${error.install}`;
    void vscode.window.showErrorMessage(message, copy, off, output).then(async (chosen) => {
      if (chosen === copy) {
        await vscode.env.clipboard.writeText(error.install);
      } else if (chosen === off) {
        const settings = vscode.workspace.getConfiguration(SECTION);
        await settings.update("enable", false, vscode.ConfigurationTarget.Workspace);
      } else if (chosen === output) {
        this.output.show();
      }
    });
  }

  private async configured(event: vscode.ConfigurationChangeEvent): Promise<void> {
    if (STARTING.some((key) => event.affectsConfiguration(`${SECTION}.${key}`))) {
      await this.restart();
    } else if (event.affectsConfiguration(SECTION) && this.client?.state === State.Running) {
      await this.client.sendNotification("workspace/didChangeConfiguration", changed(given()));
    }
  }

  private say(text: string, severity: vscode.LanguageStatusSeverity, busy = false): void {
    this.status.text = `Iceberg SQL: ${text}`;
    this.status.severity = severity;
    this.status.busy = busy;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.state === State.Running) {
      await client.stop();
    }
    await client?.dispose();
  }

  dispose(): void {
    this.output.dispose();
    this.status.dispose();
    for (const other of this.others) {
      other.dispose();
    }
  }
}

/** Shows a plan as a text beside the one that it is about. */
class Plans implements vscode.TextDocumentContentProvider {
  static readonly scheme = "iceberg-sql-plan";
  private text = "";
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(text: string): Promise<void> {
    this.text = text;
    const uri = vscode.Uri.parse(`${Plans.scheme}:plan.txt`);
    this.changes.fire(uri);
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true };
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), place);
  }
}

function setting<T>(key: string, otherwise: T): T {
  return vscode.workspace.getConfiguration(SECTION).get<T>(key, otherwise);
}

function given(): Given {
  return {
    select: setting("select", []),
    ignore: setting("ignore", []),
    severity: setting("severity", {}),
  };
}

async function choice(folder: vscode.Uri | undefined): Promise<Choice> {
  const filled = (key: string): string => path(setting(key, ""), folder?.fsPath, homedir());
  const found = await selected(folder);
  return {
    command: filled("command"),
    interpreter: filled("interpreter"),
    args: setting("args", []),
    ...(found === undefined ? {} : { selected: found }),
  };
}

let running: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  running = new Extension();
  context.subscriptions.push(running);
  await running.activate();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}
