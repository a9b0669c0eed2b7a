import { join } from "node:path";
import { programFolder } from "@/server/base/built";
import { distributeDatabase, migrateDatabase } from "@/server/db";
import { type Command, wholeNumber } from "./command";

/** Citus' own default: some for each processor of some machines, and for those that come later. */
const SHARDS = 32;

const distribute: Command = {
  summary:
    "Spread accounts' tables over the workers of an external database that has Citus; with every server stopped, and for good",
  flags: { shards: { type: "string" } },
  run: async ({ databaseUrl }, values) =>
    (
      await distributeDatabase(databaseUrl, {
        shards: wholeNumber(values, "shards", { min: 1, max: 1_024 }) ?? SHARDS,
      })
    ).map(({ table, as, before }) => ({ table, as, done: before ? "before" : "now" })),
};

/** Of a schema that is up to date it changes nothing, and beside another that does the same it waits. */
const migrate: Command = {
  summary: "Bring the database up to date, as a start of the server does, before any is started",
  flags: {},
  run: async ({ databaseUrl }) => {
    await migrateDatabase(databaseUrl, join(programFolder(), "drizzle"));
    return { migrations: "current" };
  },
};

export const databaseCommands = { distribute, migrate } satisfies Record<string, Command>;
