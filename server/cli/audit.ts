import { listChanges } from "@/server/audit";
import { accountOf } from "./account-flag";
import { type Command, limitOf } from "./command";
import { shown } from "./render";

const list: Command = {
  summary: "List the newest entries of the audit log, for all accounts or one",
  flags: { account: { type: "string" }, limit: { type: "string" } },
  run: async (context, values) => {
    const filter = { accountId: await accountOf(context, values) };
    const { rows } = await listChanges(context.db, filter, { limit: limitOf(values) });
    return rows.map(({ userId: _, ...entry }) =>
      shown(entry, { accountId: "account", targetId: "target", targetName: "name" }),
    );
  },
};

export const auditCommands: Record<string, Command> = { list };
