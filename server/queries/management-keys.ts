import { z } from "zod";
import { listManagementKeys } from "@/server/access";
import { AccountId } from "@/server/operations/schema";
import { query } from "./query";

/** Keys of an account, or with null of the installation; newest first. */
export const list = query({
  needs: "management_keys.read",
  input: z.strictObject({ accountId: AccountId.nullable() }),
  read: ({ db }, { accountId }) => listManagementKeys(db, accountId),
});
