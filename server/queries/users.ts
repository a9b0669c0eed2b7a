import { z } from "zod";
import { getUser, listUsers } from "@/server/access";
import { AccountId, Id } from "@/server/operations/schema";
import { query } from "./query";

/** An account's users; without an account, the operators. */
export const list = query({
  needs: "people.read",
  input: z.strictObject({ accountId: AccountId.optional() }),
  read: ({ db }, { accountId = null }) => listUsers(db, { accountId }),
});

export const get = query({
  needs: "people.read",
  input: z.strictObject({ userId: Id, accountId: AccountId.optional() }),
  read: ({ db }, target) => getUser(db, target),
});
