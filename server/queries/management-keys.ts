import { z } from "zod";
import { listManagementKeys } from "@/server/access";
import { AccountId } from "@/server/operations/schema";
import { query } from "./query";

/** An account's, or with null the installation's; newest first. */
export const list = query({
  by: ["owner", "operator"],
  input: z.strictObject({ accountId: AccountId.nullable() }),
  read: ({ db }, { accountId }) => listManagementKeys(db, accountId),
});
