import { z } from "zod";
import { findAccountNames } from "@/server/access";
import { listChanges } from "@/server/audit";
import { AccountId, Moment, PAGE_ROWS, Page } from "@/server/operations/schema";
import { query } from "./query";

export const Filter = Page.extend({
  /** Not limited to today's actions: older entries may hold names that no longer exist. */
  action: z.string().max(60).optional(),
  accountId: AccountId.optional(),
  targetId: z.string().max(300).optional(),
  actor: z.string().max(254).optional(),
  from: Moment.optional(),
  until: Moment.optional(),
});

/** Changes, newest first, each with its account's present name. */
export const list = query({
  mayLag: true,
  needs: "audit.read",
  input: Filter,
  read: async ({ db }, { cursor, ...filter }) => {
    const page = await listChanges(db, filter, { cursor, limit: PAGE_ROWS });
    const accountIds = page.rows.flatMap(({ accountId }) => accountId ?? []);
    const names = await findAccountNames(db, [...new Set(accountIds)]);
    const rows = page.rows.map((row) => ({ ...row, accountName: names.get(row.accountId ?? "") ?? null }));
    return { rows, nextCursor: page.nextCursor };
  },
});
