/** What an owner may say about a key. Forms check it in the same way, so this file needs nothing but zod. */
import { z } from "zod";
import { MAX_RULES } from "./allow-list-review";

/** Money in nano-units. null lifts a limit; an empty list allows everything. */
export const KeyTerms = z.strictObject({
  name: z.string().trim().min(1).max(100),
  /** Addresses and CIDR ranges in any spelling. */
  allowedIps: z.array(z.string().max(100)).max(MAX_RULES),
  requestsPerMinute: z.number().int().min(1).max(1_000_000).nullable(),
  expiresAt: z.date().nullable(),
  /** Public names. */
  models: z.array(z.string().min(1).max(256)).max(1_000),
  monthlyCap: z
    .bigint()
    .min(0n)
    .max(10n ** 18n)
    .nullable(),
});
export type KeyTerms = z.infer<typeof KeyTerms>;
