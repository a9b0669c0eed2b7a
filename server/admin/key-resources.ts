/** Resources of the admin API: API keys and caps. */
import { z } from "zod";
import { capWindows } from "@/server/base/cap-windows";
import { statuses } from "@/server/base/enums";
import { Money, Time } from "./shapes";

const Limit = z.number().int().nullable();

/** A cap and the money used in its window. */
export const CapUse = z.object({
  window: z.enum(capWindows),
  cap: Money,
  spent: Money.describe("Charged in the window under way"),
  isOver: z
    .boolean()
    .describe("Nothing is left: calls are refused (402) until the window ends or the cap is raised"),
  until: Time.describe("When the next window begins"),
});

const KeyTerms = z.object({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  lastFour: z.string().describe("The end of its secret"),
  oldLastFour: z
    .string()
    .nullable()
    .describe("The end of the secret before the last rotation, while it is still taken; else null"),
  oldUntil: Time.nullable().describe("Until when that one is taken"),
  status: z.enum(statuses),
  allowedIps: z.array(z.string()).describe("Canonical CIDRs; empty: any address"),
  requestsPerMinute: Limit,
  maxConcurrent: Limit,
  models: z.array(z.string()).describe("Public names; empty: any model"),
  monthlyCap: Money.nullable().describe(
    "What it may spend in a billing month; null: whatever the account has",
  ),
  weeklyCap: Money.nullable().describe("Likewise in a week of the billing zone, from Monday on"),
  dailyCap: Money.nullable().describe("Likewise in a day of the billing zone"),
  tellsCost: z.boolean().describe("Answers say what each call cost, whether it asked or not"),
  cachesPrompts: z
    .boolean()
    .describe("Prompts are marked for their vendor's cache where the client marks nothing"),
  expiresAt: Time.nullable(),
  createdAt: Time,
});

export const Key = KeyTerms.extend({
  spent: Money.describe("In the billing month under way"),
  calls: z.number().int().describe("Charged in the billing month under way"),
  isOverCap: z
    .boolean()
    .describe(
      "Nothing is left of one of its caps: calls are refused (402) until its window ends or it is raised",
    ),
  isRefused: z
    .boolean()
    .describe("Its last call was refused (402): it could have cost more than was left, though something is"),
  capUse: z.array(CapUse).describe("Its caps, the shortest window first"),
  lastUsedAt: Time.nullable(),
  lastAddress: z.string().nullable(),
});

export const NewKey = KeyTerms.extend({
  secret: z.string().describe("The API key itself: it is in this answer and nowhere else"),
});
