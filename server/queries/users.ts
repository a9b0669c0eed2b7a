import { z } from "zod";
import { listUsers } from "@/server/access";
import { query } from "./query";

/** Those who run the gateway; an account's users are in its own answer. */
export const list = query({
  by: ["operator"],
  input: z.strictObject({}),
  read: ({ db }) => listUsers(db, { accountId: null }),
});
