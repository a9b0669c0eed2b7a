import { z } from "zod";
import { ignoredReasons } from "@/server/base/ignored";
import { cuts, serviceTiers } from "@/server/domain/enums";
import { eachField } from "@/server/pricing";
import { KeyName, Money, Named, Time } from "./shapes";

/** Further members for operators: the call's account, and the channel that served it. */
export const behind = { account: Named.optional(), channel: Named.nullable().optional() };

export const Call = z.object({
  requestId: z.string(),
  endpoint: z.string(),
  modelId: z.string().nullable(),
  taskId: z.string().nullable(),
  status: z.number().int(),
  error: z.string().nullable(),
  errorMessage: z
    .string()
    .nullable()
    .describe("The message to the client; from an upstream's message only error terms"),
  ignored: z
    .array(z.object({ member: z.string(), reason: z.enum(ignoredReasons) }))
    .nullable()
    .describe(
      "Members of the request that were not passed on. Reasons: dialect (the upstream's API has no such member), " +
        "model (the model does not accept it), value (the upstream has no such value), unknown (not translated)",
    ),
  isStream: z.boolean(),
  firstTokenMs: z.number().nullable(),
  elapsedMs: z.number(),
  address: z.string().nullable(),
  startedAt: Time,
  key: KeyName.extend({ id: z.string() }),
  chargeId: z.string().describe("Requests with the same ID share one charge"),
  money: z.enum(["none", "frozen", "charged", "returned"]),
  cost: Money.nullable(),
  tokens: z
    .object({
      ...eachField(() => z.number()),
      reasoning: z.number(),
    })
    .nullable(),
  usageSource: z.string().nullable().describe("The source of the token counts"),
  ...behind,
});

/** The names that a vendor gave its error. */
const VendorError = z
  .object({ type: z.string().optional(), code: z.string().optional(), param: z.string().optional() })
  .nullable();

export const CallDetail = Call.extend({
  cut: z
    .enum(cuts)
    .nullable()
    .describe(
      "Why the charged response is incomplete; server_stopped: it exceeded the drain time of a restart",
    ),
  conditions: z
    .object({
      above: z.number().int().describe("The prompt has more tokens; 0: any number"),
      tier: z.enum(serviceTiers).nullable().describe("The service tier in the response"),
      window: z
        .object({ from: z.number().int(), until: z.number().int() })
        .nullable()
        .describe("The part of the day, in minutes of the UTC day"),
    })
    .nullable()
    .describe("The conditions of the prices charged; null: none"),
  held: Money.nullable().describe("The amount on hold before the charge"),
  attempts: z
    .array(
      z.object({
        channel: Named,
        operation: z.string(),
        credential: z.string().describe("Its last characters"),
        modelId: z.string(),
        beganAt: Time,
        status: z.number().int().nullable().describe("HTTP status; null: no response"),
        outcome: z.string(),
        headMs: z.number().nullable(),
        firstMs: z.number().nullable(),
        elapsedMs: z.number(),
        words: z.string().nullable(),
        vendorError: VendorError,
      }),
    )
    .optional()
    .describe("For operators: the attempts at upstreams, in order"),
  vendorError: VendorError.describe("The vendor's names for the error of the last attempt; null: none"),
  refundable: Money.nullable().describe("The part of the charge that can still be refunded; null: no charge"),
  refunds: z
    .array(
      z.object({
        id: z.string(),
        createdAt: Time,
        amount: Money,
        period: z.string(),
        note: z.string().nullable(),
      }),
    )
    .describe("Refunds of the charge in any month, oldest first"),
  lines: z.array(
    z.object({
      class: z.string(),
      tokens: z.number().nullable(),
      unit: z
        .object({ name: z.string(), count: z.number() })
        .nullable()
        .describe("Billed by this unit instead of tokens"),
      price: Money,
      amount: Money,
    }),
  ),
});

const Milliseconds = z
  .object({ p50: z.number(), p95: z.number() })
  .nullable()
  .describe("Of successful attempts; null: none");

/** How a channel performed, computed from the attempts of calls. */
export const ChannelHealth = z.object({
  from: Time,
  until: Time,
  attempts: z.number().int(),
  ok: z.number().int(),
  failed: z.number().int().describe("Excludes attempts that the client cancelled or that were invalid"),
  headMs: Milliseconds,
  firstMs: Milliseconds,
  elapsedMs: Milliseconds,
  lastOkAt: Time.nullable(),
  failingSince: Time.nullable().describe("The first error after the last success; null: not failing"),
  isPartial: z.boolean().describe("Covers only the newest 100,000 attempts"),
  parts: z.array(z.object({ at: Time, ok: z.number().int(), failed: z.number().int() })),
  faults: z.array(
    z.object({
      outcome: z.string(),
      status: z.number().int().nullable(),
      words: z.string().nullable().describe("Error terms in the upstream message"),
      count: z.number().int(),
      lastAt: Time,
    }),
  ),
  accounts: z.array(z.object({ account: Named, attempts: z.number().int(), failed: z.number().int() })),
});
