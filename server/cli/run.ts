/** The operator's commands: `<noun> <verb> [flags] [--json]`, on the database of a running server. */
import { parseArgs } from "node:util";
import { COMMAND_LINE } from "@/server/base/command-line";
import { type Config, ConfigError, loadConfig } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { findDistribution, findEmbeddedUrl, openDatabase } from "@/server/db";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/db/embedded";
import { Refusal, TemporaryRefusal } from "@/server/domain/refusal";
import { refuseWrongSecrets } from "@/server/operations";
import { refuseWrongClock } from "@/server/runtime/clock-watch";
import { accountCommands } from "./account";
import { alertCommands } from "./alert";
import { applyCommands, exportCommand } from "./apply";
import { auditCommands } from "./audit";
import { callCommands } from "./call";
import { channelCommands } from "./channel";
import { codeCommands } from "./code";
import {
  type Command,
  type CommandContext,
  type FlagValues,
  type Printer,
  parseOptions,
  UsageError,
} from "./command";
import { costCommands } from "./cost";
import { databaseCommands, migrate } from "./database";
import { doctor } from "./doctor";
import { CheckFailed, reasonOf } from "./findings";
import { keyCommands } from "./key";
import { ledgerCommands } from "./ledger";
import { managementKeyCommands } from "./management-key";
import { modelCommands } from "./model";
import { paymentCommands } from "./payment";
import { priceCommands } from "./price";
import { priceGroupCommands } from "./price-group";
import { refundCommands } from "./refund";
import { printable, render } from "./render";
import { secretsCommands } from "./secrets";
import { taskCommands } from "./task";
import { usageCommands } from "./usage";
import { userCommands } from "./user";
import { webhookCommands } from "./webhook";

/** All commands, by noun and verb. */
export const nouns: Record<string, Record<string, Command | Printer>> = {
  apply: applyCommands,
  export: { "": exportCommand },
  account: accountCommands,
  user: userCommands,
  key: keyCommands,
  "management-key": managementKeyCommands,
  alert: alertCommands,
  webhook: webhookCommands,
  code: codeCommands,
  payment: paymentCommands,
  refund: refundCommands,
  channel: channelCommands,
  call: callCommands,
  model: modelCommands,
  cost: costCommands,
  price: priceCommands,
  "price-group": priceGroupCommands,
  task: taskCommands,
  usage: usageCommands,
  ledger: ledgerCommands,
  audit: auditCommands,
  migrate: { "": migrate },
  db: databaseCommands,
  secrets: secretsCommands,
  doctor: { "": doctor },
};

/** Commands that check the secrets themselves, or handle sealed data without opening it. */
const { dump, restore } = databaseCommands;
const examined: Command[] = [doctor, migrate, dump, restore, ...Object.values(secretsCommands)];

/** Commands that resume an interrupted distribution, or do not depend on where a row is. */
const distributing: Command[] = [databaseCommands.distribute, dump, restore];

function usage(): string {
  const lines = Object.entries(nouns).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, command]) => {
      const flags = Object.entries(command.flags).map(([name, flag]) => {
        const word = flag.short === undefined ? `--${name}` : `-${flag.short}`;
        const usage = flag.type === "boolean" ? word : `${word} ${name.toUpperCase()}`;
        const repeated = flag.multiple ? `${usage}...` : usage;
        return flag.required ? repeated : `[${repeated}]`;
      });
      return `  ${[noun, verb].filter(Boolean).join(" ")} ${flags.join(" ")}\n      ${command.summary}`;
    }),
  );
  return [`Usage: ${COMMAND_LINE} <noun> <verb> [flags] [--json]`, "", ...lines].join("\n");
}

function findCommand(words: string[]): { command: Command | Printer; rest: string[] } {
  const [noun = "", verb = ""] = words;
  const verbs = Object.hasOwn(nouns, noun) ? nouns[noun] : undefined;
  if (!verbs) {
    throw new UsageError(noun ? `unknown command "${noun}"\n\n${usage()}` : usage());
  }
  const named = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  const command = named ?? verbs[""];
  if (!command) {
    throw new UsageError(`unknown command; "${noun}" has ${Object.keys(verbs).join(", ")}`);
  }
  return { command, rest: words.slice(named && verb !== "" ? 2 : 1) };
}

function parseValues(command: Pick<Command, "flags">, rest: string[]): FlagValues {
  let values: FlagValues;
  try {
    values = parseArgs({ args: rest, options: parseOptions(command.flags), strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
  const missing = Object.entries(command.flags).filter(
    ([name, flag]) => flag.required && values[name] === undefined,
  );
  if (missing.length > 0) {
    throw new UsageError(missing.map(([name]) => `--${name} is missing`).join("\n"));
  }
  return values;
}

/** The database's URL, and a function that stops the database if this command started it. Throws Refusal. */
async function reach(
  { DATABASE_URL, TOLLGATE_DATA_DIR }: Config,
  { command, tell }: { command: Command; tell: CommandContext["tell"] },
): Promise<EmbeddedPostgres> {
  if (DATABASE_URL === undefined && command.startsDatabase) {
    return await startEmbeddedPostgres(TOLLGATE_DATA_DIR, tell, "command");
  }
  const url = DATABASE_URL ?? findEmbeddedUrl(TOLLGATE_DATA_DIR);
  if (!url) {
    throw new Refusal("there is no database yet; run `npm start` first, or set DATABASE_URL", null);
  }
  return { url, stop: async () => {} };
}

async function openContext(
  { env, stderr, onInterrupt = () => {} }: Process,
  command: Command,
): Promise<{ context: CommandContext; close: () => Promise<void> }> {
  const config = loadConfig(env);
  const tell = (text: string) => void stderr.write(`${printable(text)}\n`);
  const { url, stop } = await reach(config, { command, tell });
  const secrets = loadSecrets(config);
  const isDistributed = !distributing.includes(command) && (await findDistribution(url));
  const database = openDatabase(url, { connections: 2, patientConnections: 2, isDistributed });
  return {
    context: { config, env, secrets, db: database, database, databaseUrl: url, onInterrupt, tell },
    close: async () => {
      await database.close();
      await stop();
    },
  };
}

/** With `isVerdict` exit code 1 is reserved for findings, so other failures are 2, or 3 if they may pass. */
function explain(
  error: unknown,
  { isVerdict, isRetried }: Pick<Command, "isVerdict" | "isRetried">,
): { text: string; code: number } {
  if (error instanceof UsageError || error instanceof ConfigError) {
    return { text: error.message, code: 2 };
  }
  if (error instanceof CheckFailed) {
    return { text: error.message, code: 1 };
  }
  const failed = isVerdict ? 2 : 1;
  const mayPass = !(error instanceof Refusal) || error instanceof TemporaryRefusal;
  return {
    text: error instanceof Refusal ? error.message : reasonOf(error),
    code: mayPass && isRetried ? 3 : failed,
  };
}

/** The parts of the process that a command needs. */
export type Process = {
  env: Record<string, string | undefined>;
  stdout: { write: (text: string) => unknown };
  stderr: { write: (text: string) => unknown };
  /** Registers `stop`, which is called once, at the first request to end; the command then ends by itself. */
  onInterrupt?: (stop: () => void) => void;
};

/** Runs a command; returns the exit code: 0 done, 1 refused or findings, 2 not understood or not checked, 3 may pass. */
export async function run(args: string[], process: Process): Promise<number> {
  const { stdout, stderr } = process;
  const words = args.filter((word) => word !== "--json");
  const wantsJson = words.length < args.length;
  const print = (value: unknown) =>
    void stdout.write(`${wantsJson ? JSON.stringify(value) : printable(render(value))}\n`);
  let close = async () => {};
  let failing: Pick<Command, "isVerdict" | "isRetried"> = {};
  try {
    if (words.includes("--help") || words[0] === "help") {
      stdout.write(`${usage()}\n`);
      return 0;
    }
    const { command, rest } = findCommand(words);
    const values = parseValues(command, rest);
    if ("prints" in command) {
      print(command.prints());
      return 0;
    }
    failing = command;
    const opened = await openContext(process, command);
    close = opened.close;
    const { context } = opened;
    if (!examined.includes(command)) {
      await refuseWrongSecrets(context.db, context.secrets);
      await refuseWrongClock(context.database);
    }
    print(await command.run(context, values));
    return 0;
  } catch (error) {
    if (error instanceof CheckFailed) {
      print(error.rows);
    }
    const { text, code } = explain(error, failing);
    stderr.write(`${printable(text)}\n`);
    return code;
  } finally {
    await close();
  }
}
