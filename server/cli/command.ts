import type { ParseArgsOptionsConfig } from "node:util";
import type { Config } from "@/server/base/config";
import type { Secrets } from "@/server/base/secrets";
import type { Database, Db } from "@/server/db";

/** The dependencies of a command: the rooms' functions over the same database as the running server. */
export type CommandContext = {
  config: Config;
  /** For secrets to which configuration files refer; settings are in `config`. */
  env: Readonly<Record<string, string | undefined>>;
  secrets: Secrets;
  /** For work inside the command's transaction, if it has one. */
  db: Db;
  /** For work outside that transaction. */
  database: Database;
  databaseUrl: string;
  /** For long commands that can be resumed: registers a function that is called when the user interrupts. */
  onInterrupt: (stop: () => void) => void;
  /** Prints a line for people, in addition to the result. */
  tell: (text: string) => void;
};

type Flag = { type: "string" | "boolean"; short?: string; multiple?: true; required?: true };
export type FlagValues = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** One `<noun> <verb>`. `run` returns the value that `--json` prints. */
export type Command = {
  summary: string;
  flags: Record<string, Flag>;
  /** It checks something: exit code 1 means findings, and 2 that the check could not be made. */
  isVerdict?: true;
  /** Programs run it again after exit code 3: it was neither refused nor wrong, and the database may have been away. */
  isRetried?: true;
  /**
   * It also works while every server is stopped: it then starts the embedded database itself, and stops it afterwards.
   */
  startsDatabase?: true;
  run: Run;
};

/** A command that needs neither a database nor settings. */
export type Printer = Pick<Command, "summary" | "flags"> & { prints: () => unknown };

export type Run = (context: CommandContext, values: FlagValues) => Promise<unknown>;

/** The command line was wrong: exit code 2. */
export class UsageError extends Error {}

export const parseOptions = (flags: Command["flags"]): ParseArgsOptionsConfig =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.type,
        multiple: flag.multiple ?? false,
        ...(flag.short !== undefined && { short: flag.short }),
      },
    ]),
  );

/** A text flag; undefined if it was not given. */
export function text(values: FlagValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** A text flag that the command needs (`required` has been checked). */
export function need(values: FlagValues, name: string): string {
  const value = text(values, name);
  if (value === undefined || value === "") {
    throw new UsageError(`--${name} is missing`);
  }
  return value;
}

/** A flag that is `yes` or `no`; undefined if it was not given. */
export function yesOrNo(values: FlagValues, name: string): boolean | undefined {
  const value = text(values, name);
  if (value !== undefined && value !== "yes" && value !== "no") {
    throw new UsageError(`--${name} must be "yes" or "no"`);
  }
  return value === undefined ? undefined : value === "yes";
}

export function many(values: FlagValues, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function wholeNumber(
  values: FlagValues,
  name: string,
  bounds: { min: number; max: number },
): number | undefined {
  const value = text(values, name);
  if (value === undefined) {
    return undefined;
  }
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < bounds.min || number > bounds.max) {
    throw new UsageError(`--${name} must be a whole number from ${bounds.min} to ${bounds.max}`);
  }
  return number;
}

/** For settings that can be removed; null: `none` was given. */
export const wholeNumberOrNone = (
  values: FlagValues,
  name: string,
  bounds: { min: number; max: number },
): number | null | undefined => (text(values, name) === "none" ? null : wholeNumber(values, name, bounds));

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600 };

/** A time as `90s`, `30m` or `1h`, in seconds; 0 needs no unit. undefined if it was not given. */
export function seconds(values: FlagValues, name: string): number | undefined {
  const value = text(values, name);
  if (value === undefined || value === "0") {
    return value === undefined ? undefined : 0;
  }
  const [, count, unit = ""] = /^(\d{1,6})([smh])$/.exec(value) ?? [];
  if (count === undefined) {
    throw new UsageError(`--${name} must be 0 or a duration such as 30m or 1h`);
  }
  return Number(count) * (UNIT_SECONDS[unit] ?? 1);
}

/** The number of rows in a list (`--limit`). */
export const limitOf = (values: FlagValues): number =>
  wholeNumber(values, "limit", { min: 1, max: 10_000 }) ?? 50;

/** The expiry of a new object (`--expires`) as ISO 8601; null: never. */
export function expiry(values: FlagValues): string | null {
  const value = text(values, "expires");
  if (value === undefined) {
    return null;
  }
  const moment = new Date(value);
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || !(moment.getTime() >= 0)) {
    throw new UsageError("--expires must be an ISO 8601 time such as 2027-01-31T00:00:00Z");
  }
  return moment.toISOString();
}
