import { z } from "zod";
import { Money, Time } from "./shapes";

export const CodeBatch = z.object({
  id: z.string(),
  name: z.string(),
  amount: Money.describe("What each code is worth"),
  codes: z.number().int(),
  redeemed: z.number().int().describe("How many of them are spent"),
  expiresAt: Time.nullable().describe("null: never"),
  disabledAt: Time.nullable().describe("Since when those that are left are refused"),
  createdBy: z.string(),
  createdAt: Time,
});

export const CodeBatchDetail = CodeBatch.extend({
  uses: z.array(
    z.object({
      lastFour: z.string(),
      redeemedAt: Time.nullable(),
      account: z.object({ id: z.string(), name: z.string() }).nullable(),
    }),
  ),
});

export const NewCodes = z.object({
  id: z.string(),
  name: z.string(),
  amount: Money,
  expiresAt: Time.nullable(),
  codes: z.array(z.string()).describe("Shown this once"),
});

export const Redemption = z.object({ amount: Money, available: Money.describe("In the month, with it") });
