import { z } from "zod";
import { cuts } from "@/server/base/enums";
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
    .describe("What the client was told of it; of an upstream's words the terms of errors alone"),
  isStream: z.boolean(),
  firstTokenMs: z.number().nullable(),
  elapsedMs: z.number(),
  address: z.string().nullable(),
  startedAt: Time,
  key: KeyName.extend({ id: z.string() }),
  chargeId: z.string().describe("Calls with the same one share one charge"),
  money: z.enum(["none", "frozen", "charged", "returned"]),
  cost: Money.nullable(),
  tokens: z
    .object({
      input: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      cacheWrite1h: z.number(),
      output: z.number(),
      reasoning: z.number(),
    })
    .nullable(),
  usageSource: z.string().nullable().describe("Who counted the tokens"),
  ...behind,
});

export const CallDetail = Call.extend({
  cut: z
    .enum(cuts)
    .nullable()
    .describe(
      "Why the answer that was charged is not whole; server_stopped: it went on beyond a restart's drain",
    ),
  held: Money.nullable().describe("Frozen before it was charged"),
  attempts: z
    .array(
      z.object({
        channel: Named,
        operation: z.string(),
        credential: z.string().describe("Its last characters"),
        modelId: z.string(),
        beganAt: Time,
        status: z.number().int().nullable().describe("HTTP status; null: no answer came"),
        outcome: z.string(),
        headMs: z.number().nullable(),
        firstMs: z.number().nullable(),
        elapsedMs: z.number(),
        words: z.string().nullable(),
      }),
    )
    .optional()
    .describe("For operators: what upstreams were asked for it, in order"),
  refundable: Money.nullable().describe("What is left of the charge to give back; null: there is none"),
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
    .describe("What was given back of the charge, in whatever month, the oldest first"),
  lines: z.array(
    z.object({
      class: z.string(),
      tokens: z.number().nullable(),
      unit: z
        .object({ name: z.string(), count: z.number() })
        .nullable()
        .describe("Paid by it, not by tokens"),
      price: Money,
      amount: Money,
    }),
  ),
});

const Milliseconds = z
  .object({ p50: z.number(), p95: z.number() })
  .nullable()
  .describe("Of attempts that went well; null: none did");

/** How a channel performed, computed from the attempts of calls. */
export const ChannelHealth = z.object({
  from: Time,
  until: Time,
  attempts: z.number().int(),
  ok: z.number().int(),
  failed: z.number().int().describe("What a client ended, or got wrong, is neither"),
  headMs: Milliseconds,
  firstMs: Milliseconds,
  elapsedMs: Milliseconds,
  lastOkAt: Time.nullable(),
  failingSince: Time.nullable().describe("The first fault after the last success; null: it does not fail"),
  isPartial: z.boolean().describe("Of the newest 100,000 attempts alone"),
  parts: z.array(z.object({ at: Time, ok: z.number().int(), failed: z.number().int() })),
  faults: z.array(
    z.object({
      outcome: z.string(),
      status: z.number().int().nullable(),
      words: z.string().nullable().describe("The terms of errors in what was said"),
      count: z.number().int(),
      lastAt: Time,
    }),
  ),
  accounts: z.array(z.object({ account: Named, attempts: z.number().int(), failed: z.number().int() })),
});
