import { distributeDatabase } from "@/server/db";
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

export const databaseCommands: Record<string, Command> = { distribute };
