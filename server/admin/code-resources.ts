import { z } from "zod";
import { Money, Time } from "./shapes";

export const CodeBatch = z.object({
  id: z.string(),
  name: z.string(),
  amount: Money.describe("The value of each code"),
  codes: z.number().int(),
  redeemed: z.number().int().describe("The number of redeemed codes"),
  expiresAt: Time.nullable().describe("null: never"),
  disabledAt: Time.nullable().describe("When the unredeemed codes were disabled"),
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
  codes: z.array(z.string()).describe("Shown only once"),
});

export const Redemption = z.object({
  amount: Money,
  available: Money.describe("The available amount of the month after it"),
});
