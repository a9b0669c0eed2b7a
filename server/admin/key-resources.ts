/** Resources of the admin API: API keys and caps. */
import { z } from "zod";
import { capWindows } from "@/server/domain/cap-windows";
import { statuses } from "@/server/domain/enums";
import { Money, Time } from "./shapes";

const Limit = z.number().int().nullable();

/** A cap and the money used in its window. */
export const CapUse = z.object({
  window: z.enum(capWindows),
  cap: Money,
  spent: Money.describe("Charged in the current window"),
  isOver: z
    .boolean()
    .describe("The cap is reached: requests return 402 until the window ends or the cap is raised"),
  until: Time.describe("When the next window starts"),
});

const KeyTerms = z.object({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  lastFour: z.string().describe("The last four characters of its secret"),
  oldLastFour: z
    .string()
    .nullable()
    .describe("The last four characters of the previous secret while it still works; otherwise null"),
  oldUntil: Time.nullable().describe("When the previous secret stops working"),
  status: z.enum(statuses),
  allowedIps: z.array(z.string()).describe("Canonical CIDRs; empty: any address"),
  requestsPerMinute: Limit,
  maxConcurrent: Limit,
  models: z.array(z.string()).describe("Public names; empty: any model"),
  monthlyCap: Money.nullable().describe(
    "The maximum spend per billing month; null: only the limits of the account apply",
  ),
  weeklyCap: Money.nullable().describe("The maximum spend per week of the billing time zone, from Monday on"),
  dailyCap: Money.nullable().describe("The maximum spend per day of the billing time zone"),
  tellsCost: z.boolean().describe("Responses include the cost, even if the request does not ask for it"),
  cachesPrompts: z
    .boolean()
    .describe("Prompts are marked for the vendor's cache unless the client marks them itself"),
  expiresAt: Time.nullable(),
  createdAt: Time,
});

export const Key = KeyTerms.extend({
  spent: Money.describe("In the current billing month"),
  calls: z.number().int().describe("Charged in the current billing month"),
  isOverCap: z
    .boolean()
    .describe("One of its caps is reached: requests return 402 until its window ends or it is raised"),
  isRefused: z
    .boolean()
    .describe(
      "Its last request was declined (402): it could have cost more than was left, although some is left",
    ),
  capUse: z.array(CapUse).describe("Its caps, the shortest window first"),
  lastUsedAt: Time.nullable(),
  lastAddress: z.string().nullable(),
});

export const NewKey = KeyTerms.extend({
  secret: z.string().describe("The API key; shown only in this response"),
});
