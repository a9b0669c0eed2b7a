import { z } from "zod";
import { listManagementKeys } from "@/server/access";
import { AccountId } from "@/server/operations/schema";
import { query } from "./query";

/** An account's, or with null the installation's; newest first. */
export const list = query({
  needs: "management_keys.read",
  input: z.strictObject({ accountId: AccountId.nullable() }),
  read: ({ db }, { accountId }) => listManagementKeys(db, accountId),
});
