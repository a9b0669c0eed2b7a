/** The schema of a channel's settings. Forms check with it too, so this file imports nothing but zod. */
import { z } from "zod";

/** Priorities order the tiers. A weight is a share inside a tier, and 0 comes after all others of it. */
export const ChannelSettings = z.strictObject({
  name: z.string().trim().min(1).max(100),
  vendor: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe("A vendor preset; null: derived from the host of the base URL, if known"),
  baseUrl: z.string().trim().min(1).max(2_000),
  priority: z.number().int().min(-1_000).max(1_000).describe("Higher priorities are tried first"),
  weight: z.number().int().min(0).max(1_000).describe("Its share of requests within a priority"),
  maxTasks: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe("The maximum of open video tasks; null: the usual limit of the dialect"),
  timeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .nullable()
    .describe(
      "The timeout for the first event of a stream or a whole JSON response; null: the default of the installation",
    ),
  idleTimeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .nullable()
    .describe("The maximum silence within a stream; null: the default of the installation"),
});
export type ChannelSettings = z.infer<typeof ChannelSettings>;

/** A header carries the credential. */
export const Credential = z
  .string()
  .trim()
  .max(4_096)
  .regex(/^[\x20-\x7e]+$/, "a credential is 1 to 4096 visible ASCII characters");

/** A model's name, public or upstream. */
const ModelName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, "a model's name has no control characters");

/** Pairs of public and upstream name. Not an object, because a model may be called `__proto__`. */
export const ModelMap = z.array(z.tuple([ModelName, ModelName])).max(5_000);

/** A credential of an edited channel: an existing one, by its index, or a new one. */
export const CredentialChange = z.union([
  z.strictObject({ keep: z.number().int().min(0) }),
  z.strictObject({ secret: Credential }),
]);
export type CredentialChange = z.infer<typeof CredentialChange>;

export const MAX_CREDENTIALS = 100;
