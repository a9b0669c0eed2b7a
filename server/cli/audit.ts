import { getAccountByNameOrId } from "@/server/access";
import { listChanges } from "@/server/audit";
import { type Command, text, wholeNumber } from "./command";

const list: Command = {
  summary: "Show the newest changes that people made, to everything or to one account",
  flags: { account: { type: "string" }, limit: { type: "string" } },
  run: async ({ db }, values) => {
    const limit = wholeNumber(values, "limit", { min: 1, max: 10_000 }) ?? 50;
    const name = text(values, "account");
    const filter = name === undefined ? {} : { accountId: (await getAccountByNameOrId(db, name)).id };
    const { rows } = await listChanges(db, filter, { limit });
    return rows.map((entry) => ({
      id: entry.id,
      created_at: entry.createdAt,
      actor: entry.actor,
      action: entry.action,
      account: entry.accountId,
      target: entry.targetId,
      name: entry.targetName,
      before: entry.before,
      after: entry.after,
      address: entry.address,
    }));
  },
};

export const auditCommands: Record<string, Command> = { list };
