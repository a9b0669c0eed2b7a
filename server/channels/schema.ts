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
    .describe("A preset; null: the base URL's host tells, if anything does"),
  baseUrl: z.string().trim().min(1).max(2_000),
  priority: z.number().int().min(-1_000).max(1_000).describe("Higher ones are tried first"),
  weight: z.number().int().min(0).max(1_000).describe("Its share among those of its priority"),
  maxTasks: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe("Video tasks that may be open at a time; null: what its dialect usually takes"),
  timeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .nullable()
    .describe("Longest wait for a stream's first event or a whole JSON answer; null: the installation's"),
  idleTimeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .nullable()
    .describe("Longest silence inside a stream; null: the installation's"),
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
