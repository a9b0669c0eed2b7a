import { join } from "node:path";
import { programFolder } from "@/server/base/built";
import { systemClock } from "@/server/base/clock";
import { makeLedgerMonths } from "@/server/billing";
import { keepCallMonths } from "@/server/calls";
import { distributeDatabase, migrateDatabase, patient } from "@/server/db";
import { dumpDatabase, restoreDatabase } from "@/server/db/dump";
import { currentPeriod } from "@/server/domain/period";
import { Refusal } from "@/server/domain/refusal";
import { findWrongSecrets } from "@/server/operations";
import { refuseWrongClock } from "@/server/runtime/clock-watch";
import { type Command, need, wholeNumber } from "./command";
import { readCompressed, writeCompressed } from "./compressed-file";

const migrationsFolder = () => join(programFolder(), "drizzle");

/** Citus' own default: enough for several shards on each processor of a few machines, and on those added later. */
const SHARDS = 32;

const distribute: Command = {
  summary:
    "Distribute the tables of an external database with Citus over its workers; stop every server first; cannot be undone",
  flags: { shards: { type: "string" } },
  run: async ({ databaseUrl }, values) =>
    (
      await distributeDatabase(databaseUrl, {
        shards: wholeNumber(values, "shards", { min: 1, max: 1_024 }) ?? SHARDS,
      })
    ).map(({ table, as, before }) => ({ table, as, done: before ? "before" : "now" })),
};

/** Changes nothing in a schema that is up to date, and waits for another migration that is under way. */
export const migrate: Command = {
  summary:
    "Apply migrations while servers run, and create the partitions of the coming months, as the role that owns the tables",
  flags: {},
  run: async ({ config, database, databaseUrl, tell }) => {
    const applied = await migrateDatabase(databaseUrl, migrationsFolder(), tell);
    await refuseWrongClock(database);
    const now = systemClock();
    // Servers whose role allows it do the same each hour.
    // However many rows have come without a month: a person has chosen the moment.
    const mostRows = Number.POSITIVE_INFINITY;
    await makeLedgerMonths(patient(database), currentPeriod(config.BILLING_TIMEZONE, now), { mostRows });
    await keepCallMonths(patient(database), { now, keepDays: config.REQUEST_LOG_DAYS, mostRows });
    return { migrations: "current", applied };
  },
};

/** Writes the whole database to a file, except the secrets that seal and hash its content. */
const dump: Command = {
  summary: "Write a snapshot of the whole database to a compressed file",
  flags: { to: { type: "string", required: true } },
  startsDatabase: true,
  run: async ({ databaseUrl }, values) => {
    const path = need(values, "to");
    const { tables, rows } = await dumpDatabase(databaseUrl, async (pieces) => {
      if (!(await writeCompressed(path, pieces))) {
        throw new Refusal(`${path} already exists and was not changed`, null);
      }
    });
    return { file: path, tables, rows };
  },
};

const NEEDS_SECRETS =
  "the encrypted and hashed data needs the secrets of the installation that wrote the dump: set ENCRYPTION_KEY, " +
  "KEY_PEPPER and AUTH_SECRET to them, or copy its secrets.json";

const restore: Command = {
  summary: "Restore a dump into an empty database, before any server uses it",
  flags: { from: { type: "string", required: true } },
  startsDatabase: true,
  run: async ({ databaseUrl, database, secrets, tell }, values) => {
    await migrateDatabase(databaseUrl, migrationsFolder());
    const { tables, rows } = await restoreDatabase(databaseUrl, readCompressed(need(values, "from")).pieces);
    const wrong = await findWrongSecrets(database, secrets);
    if (wrong.length > 0) {
      tell(`${wrong.join(", ")}: ${NEEDS_SECRETS}`);
    }
    return { tables, rows };
  },
};

export const databaseCommands = { distribute, migrate, dump, restore } satisfies Record<string, Command>;
