import { z } from "zod";
import { inDecimals } from "@/server/base/money";
import { getCodeBatch, listCodeBatches } from "@/server/billing";
import { Id } from "@/server/operations/schema";
import { query } from "./query";

/** Batches of codes, newest first. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => inDecimals(await listCodeBatches(db)),
});

/** One batch, with the state of each of its codes. */
export const get = query({
  needs: "staff.read",
  input: z.strictObject({ batchId: Id }),
  read: async ({ db }, { batchId }) => inDecimals(await getCodeBatch(db, batchId)),
});
