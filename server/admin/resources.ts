/** The resources of the admin API, member by member: a member that is not listed here does not leave. */
import { z } from "zod";
import { AccountLimits } from "@/server/access/schema";
import {
  entryKinds,
  modalities,
  modelKinds,
  roles,
  routings,
  shownTaskStates,
  statuses,
} from "@/server/base/enums";
import { ChannelSettings } from "@/server/channels/schema";
import { Capabilities } from "@/server/protocol/capabilities";
import { alertResources } from "./alert-resources";
import { behind, Call, CallDetail, ChannelHealth } from "./call-resources";
import { CodeBatch, CodeBatchDetail, NewCodes, Redemption } from "./code-resources";
import { CapUse, Key, NewKey } from "./key-resources";
import { paymentResources } from "./payment-resources";
import { priceResources } from "./price-resources";
import { KeyName, Money, Time } from "./shapes";
import { AccountMonth, WholeStatement } from "./statement-resources";
import { Usage } from "./usage-resources";
import { webhookResources } from "./webhook-resources";

const Status = z.enum(statuses);

const Month = z.object({
  period: z.string().describe("The billing month, as `2026-01`"),
  quota: Money,
  topups: Money.describe("Top-ups, refunds, adjustments and carry-overs, which may be below zero"),
  used: Money,
  frozen: Money.describe("Held for calls and video tasks under way"),
  available: Money.describe("`quota` + `topups` - `used` - `frozen`"),
});

const Account = z.object({
  id: z.string(),
  name: z.string(),
  status: Status,
  quota: Money.describe("Granted at the start of each month"),
  ...AccountLimits.shape,
  dailyLimit: Money.nullable().describe(
    "What all its keys may spend in a day of the billing zone; null: no limit",
  ),
  dailyUse: CapUse.nullable().describe("What was spent of that today; null: no limit"),
  storesResponses: z.boolean().describe("Whether answers of the Responses API are kept, to go on from"),
  carriesTopups: z
    .boolean()
    .describe("Whether what is left of its top-ups goes on in the next month, spent after its quota"),
  priceGroupId: z.string().nullable().describe("Whose prices it pays; null: the usual ones"),
  month: Month.describe("The month under way"),
  lastsUntil: Time.nullable().describe(
    "When its money would be spent at the pace of late; null: not before the month ends",
  ),
  createdAt: Time,
});

const User = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(roles),
  accountId: z.string().nullable(),
  status: Status,
  hasTotp: z.boolean().describe("Asked for a code at sign-in"),
  hasPassword: z.boolean().describe("false: invited, and has not set one yet"),
  linkedTo: z.string().nullable().describe("The OpenID Connect provider that they sign in by; null: none"),
  createdAt: Time,
});

const Invitation = z.object({
  email: z.string(),
  url: z
    .string()
    .describe("Where they set their password: it works once, for a day, and is shown nowhere else"),
  expiresAt: Time,
});

const daySpend = {
  modelId: z.string(),
  calls: z.number().int(),
  amount: Money,
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
};

const DaySpend = z.object({ day: z.string(), ...daySpend });

const Channel = z.object({
  id: z.string(),
  dialect: z.string().describe("What its upstream speaks"),
  ...ChannelSettings.shape,
  // As stored: longer than the input if that had to be percent-encoded.
  baseUrl: z.string(),
  credentialHints: z.array(z.string()).describe("The last four characters of each credential"),
  isEnabled: z.boolean(),
  isMovedOff: z.boolean().describe("Its calls go to the others as long as one of them takes them"),
  modelCount: z.number().int(),
  createdAt: Time,
});

const VideoPrice = z.object({ durationSeconds: z.number().int(), resolution: z.string(), price: Money });

const UnitPrice = z.object({ unit: z.string(), price: Money });

const sold = {
  id: z.string(),
  kind: z.enum(modelKinds),
  ownedBy: z.string(),
  isFree: z.boolean(),
  maxOutputTokens: z.number().int(),
  contextWindow: z
    .number()
    .int()
    .nullable()
    .describe("Tokens of prompt and answer together; here and below, null: not known"),
  inputModalities: z.array(z.enum(modalities)).nullable(),
  outputModalities: z.array(z.enum(modalities)).nullable(),
  hasTools: z.boolean().nullable(),
  hasThinking: z.boolean().nullable(),
  videoPrices: z.array(VideoPrice),
  unitPrices: z.array(UnitPrice).describe("What is not paid by the token"),
};

export const resources = {
  ...priceResources,
  ...alertResources,
  ...webhookResources,
  ...paymentResources,
  Usage,
  CodeBatch,
  CodeBatchDetail,
  NewCodes,
  Redemption,
  CallDetail,
  ChannelHealth,
  Account,
  User,
  RunningOut: z.object({
    accountId: z.string(),
    name: z.string(),
    available: Money,
    lastsUntil: Time,
  }),
  AccountDetail: Account.extend({
    resetsAt: Time.describe("When the month under way is over"),
    earlier: z.array(Month).describe("The months before, newest first"),
    users: z.array(User).describe("Who may sign in for it"),
  }),
  Invitation,
  NewAccount: z.object({
    id: z.string(),
    name: z.string(),
    invitation: Invitation.nullable().describe("Of its first user, where one was named"),
  }),
  NewUser: Invitation.extend({ id: z.string() }),
  Key,
  NewKey,
  DaySpend,
  MonthSpend: z.object({ days: z.array(DaySpend), models: z.array(z.object(daySpend)) }),
  Channel,
  ChannelDetail: Channel.omit({ modelCount: true }).extend({
    models: z.array(
      z.object({
        modelId: z.string().describe("The public name"),
        upstreamName: z.string(),
        overrides: Capabilities.partial().describe("What the operator says of it, over the presets"),
        inForce: Capabilities.partial().describe("What holds for it here"),
      }),
    ),
  }),
  ChannelTest: z.object({
    ok: z.boolean(),
    status: z.number().int().nullable(),
    latencyMs: z.number(),
    message: z.string(),
    modelId: z.string(),
    upstreamName: z.string(),
    usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).nullable(),
    isStream: z.boolean(),
  }),
  ModelRoutes: z.object({
    model: z.object({ kind: z.string(), isEnabled: z.boolean(), routing: z.enum(routings) }).nullable(),
    tiers: z.array(
      z.object({
        isMovedOff: z.boolean().describe("Tried after all others"),
        priority: z.number().int(),
        ways: z.array(
          z.object({
            channelId: z.string(),
            name: z.string(),
            dialect: z.string(),
            upstreamName: z.string(),
            weight: z.number(),
            share: z.number(),
            isEnabled: z.boolean(),
            state: z.string(),
            canTake: z.array(z.string()),
          }),
        ),
      }),
    ),
  }),
  Model: z.object({
    ...sold,
    isEnabled: z.boolean(),
    routing: z.enum(routings).describe("By what its channels are ordered within a priority"),
    hedgeAfterMs: z
      .number()
      .int()
      .nullable()
      .describe("When a stream that has not begun is asked for at the next channel, too; null: never"),
    inputPrice: Money.describe("Of a million tokens, as all prices of tokens"),
    outputPrice: Money,
    cacheReadPrice: Money.nullable().describe("null: what input costs"),
    cacheWritePrice: Money.nullable(),
    cacheWrite1hPrice: Money.nullable(),
  }),
  ModelOnSale: z.object({
    ...sold,
    prices: z.object({
      input: Money,
      cacheRead: Money,
      cacheWrite: Money,
      cacheWrite1h: Money,
      output: Money,
    }),
  }),
  Task: z.object({
    id: z.string(),
    modelId: z.string(),
    prompt: z.string(),
    durationSeconds: z.number(),
    resolution: z.string(),
    aspectRatio: z.string().nullable(),
    state: z.enum(shownTaskStates),
    progress: z.number(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    price: Money,
    money: z.enum(["frozen", "charged", "returned"]),
    key: KeyName.extend({ id: z.string() }),
    videoUrl: z.string().nullable(),
    createdAt: Time,
    deadlineAt: Time,
    endedAt: Time.nullable(),
    ...behind,
  }),
  Cancellation: z.object({
    outcome: z
      .enum(["cancelled", "too_late", "unsupported"])
      .describe("Money is returned where the vendor says that it stopped"),
  }),
  Call,
  MissedPath: z.object({
    method: z.string(),
    path: z.string().describe("Without its query; `{id}` for what looks like a name"),
    program: z.string().describe("The first product of its user agent"),
    times: z.number().int(),
    firstAt: Time,
    lastAt: Time,
  }),
  LedgerEntry: z.object({
    id: z.string(),
    createdAt: z.coerce.date().pipe(Time),
    kind: z.enum(entryKinds),
    change: Money.describe("Signed: what the account may spend afterwards, against before"),
    held: Money.nullable(),
    requestId: z.string().nullable(),
    modelId: z.string().nullable(),
    key: KeyName.nullable(),
    note: z.string().nullable(),
  }),
  Statement: Month.extend({
    isUnderWay: z.boolean(),
    isArchived: z.boolean().describe("Its entries are in an archive: only those are listed that came later"),
    start: Time,
    end: Time,
    grant: Money,
    adjusted: Money,
  }),
  Refund: z.object({
    id: z.string(),
    requestId: z.string(),
    amount: Money,
    period: z.string().describe("The month that has it: the one under way"),
    left: Money.describe("What is left of the charge to give back"),
    available: Money.describe("In that month, with it"),
  }),
  AccountMonth,
  WholeStatement,
  TopUp: z.object({ available: Money.describe("In the month under way") }),
  AuditEntry: z.object({
    id: z.string(),
    createdAt: Time,
    actor: z.string().describe("An e-mail, `command`, or a management key's name and identifier"),
    action: z.string(),
    accountId: z.string().nullable(),
    targetId: z.string(),
    targetName: z.string(),
    before: z.unknown().describe("Only what differs, in the names that were recorded"),
    after: z.unknown(),
    address: z.string().nullable(),
  }),
  /** The answer of a request that has nothing else to return. */
  Done: z.object({ done: z.literal(true) }),
};
