import { z } from "zod";
import { getUser, listUsers } from "@/server/access";
import { Id } from "@/server/operations/schema";
import { query } from "./query";

/** Those who run the gateway; an account's users are in its own answer. */
export const list = query({
  by: ["operator"],
  input: z.strictObject({}),
  read: ({ db }) => listUsers(db, { accountId: null }),
});

export const get = query({
  by: ["operator"],
  input: z.strictObject({ userId: Id }),
  read: ({ db }, target) => getUser(db, target),
});
