/** Schemas of users and keys. Forms check with them too, so this file imports nothing but zod. */
import { z } from "zod";
import { MAX_RULES } from "./keys/allow-list-review";

/** The longest e-mail address of a mailbox has 254 characters. */
export const Email = z.email().max(254);

/** The highest permitted value of each limit. */
export const MAX_LIMITS = {
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000,
  maxConcurrent: 100_000,
};

const limitUpTo = (max: number) => z.number().int().min(1).max(max).nullable();

const Cap = z
  .bigint()
  .min(0n)
  .max(10n ** 18n)
  .brand<"Nanos">()
  .nullable();

/** An owner's settings of a key. Money in nano-units. null: no limit; an empty list allows everything. */
export const KeyTerms = z.strictObject({
  name: z.string().trim().min(1).max(100),
  allowedIps: z
    .array(z.string().max(100))
    .max(MAX_RULES)
    .describe("Addresses and CIDR ranges in any spelling; empty: any address"),
  requestsPerMinute: limitUpTo(MAX_LIMITS.requestsPerMinute).describe("null: no limit"),
  maxConcurrent: limitUpTo(MAX_LIMITS.maxConcurrent).describe("Concurrent requests; null: no limit"),
  expiresAt: z.date().nullable(),
  models: z
    .array(z.string().min(1).max(256))
    .max(1_000)
    .describe("Names of the models that it can use; empty: any"),
  monthlyCap: Cap,
  weeklyCap: Cap,
  dailyCap: Cap,
  tellsCost: z.boolean().describe("Responses include the cost, even if the request does not ask for it"),
  cachesPrompts: z
    .boolean()
    .describe("Prompts are marked for the vendor's cache unless the client marks them itself"),
});

/** An operator's limits on all of an account's keys together. null: no limit. */
export const AccountLimits = z.strictObject({
  requestsPerMinute: limitUpTo(MAX_LIMITS.requestsPerMinute).describe(
    "For all its keys together; null: no limit",
  ),
  tokensPerMinute: limitUpTo(MAX_LIMITS.tokensPerMinute).describe(
    "Input and output tokens of charged requests",
  ),
  maxConcurrent: limitUpTo(MAX_LIMITS.maxConcurrent).describe("Concurrent requests"),
  dailyLimit: Cap,
  /**
   * The most that the account may be sold beyond its money while the database is away. null: the installation's limit.
   */
  outageAllowance: Cap,
});
export type AccountLimits = z.infer<typeof AccountLimits>;

/** Only the limits of an account. */
export const accountLimitsOf = ({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  dailyLimit,
  outageAllowance,
}: AccountLimits) => ({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  dailyLimit,
  outageAllowance,
});

/** Fields that are left out stay unchanged. */
export const SomeAccountLimits = AccountLimits.partial();
export type SomeAccountLimits = { [Name in keyof AccountLimits]?: AccountLimits[Name] | undefined };

export type KeyTerms = z.infer<typeof KeyTerms>;
