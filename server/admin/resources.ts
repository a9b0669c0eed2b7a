/** The resources of the admin API, member by member: a member that is not listed here does not leave. */
import { z } from "zod";
import { AccountLimits } from "@/server/access/schema";
import { ChannelSettings } from "@/server/channels/settings/schema";
import {
  entryKinds,
  modalities,
  modelKinds,
  roles,
  routings,
  shownTaskStates,
  statuses,
} from "@/server/domain/enums";
import { eachField } from "@/server/pricing";
import { Capabilities } from "@/server/protocol/capabilities";
import { alertResources } from "./alert-resources";
import { behind, Call, CallDetail, ChannelHealth } from "./call-resources";
import { CodeBatch, CodeBatchDetail, NewCodes, Redemption } from "./code-resources";
import { CapUse, Key, NewKey } from "./key-resources";
import { offerResources } from "./offer-resources";
import { paymentResources } from "./payment-resources";
import { priceResources } from "./price-resources";
import { ConditionalPrices, KeyName, Money, Time, tokenPrices } from "./shapes";
import { AccountMonth, WholeStatement } from "./statement-resources";
import { shownTraffic, trafficResources } from "./traffic-resources";
import { Usage } from "./usage-resources";
import { webhookResources } from "./webhook-resources";

const Status = z.enum(statuses);

const Month = z.object({
  period: z.string().describe("The billing month, such as `2026-01`"),
  quota: Money,
  topups: Money.describe("Top-ups, refunds, adjustments and carry-overs; can be negative"),
  used: Money,
  frozen: Money.describe("On hold for requests and video tasks in progress"),
  available: Money.describe("`quota` + `topups` - `used` - `frozen`"),
});

const Account = z.object({
  id: z.string(),
  name: z.string(),
  status: Status,
  quota: Money.describe("Granted at the start of each month"),
  ...AccountLimits.shape,
  dailyLimit: Money.nullable().describe(
    "The maximum that all its keys together can spend per day of the billing time zone; null: no limit",
  ),
  outageAllowance: Money.nullable().describe(
    "The maximum that can be sold to it while the database is away, possibly beyond its money; null: the installation's",
  ),
  dailyUse: CapUse.nullable().describe("Use of the daily limit today; null: no limit"),
  storesResponses: z
    .boolean()
    .describe("Whether responses of the Responses API are stored, so that clients can continue them"),
  carriesTopups: z
    .boolean()
    .describe("Whether unused top-ups carry over to the next month, where they are spent after the quota"),
  priceGroupId: z.string().nullable().describe("The price group of the account; null: standard prices"),
  buyerName: z.string().nullable().describe("The name on invoices; null: the name of the account"),
  buyerAddress: z.string().nullable(),
  buyerTaxNumber: z.string().nullable(),
  month: Month.describe("The current month"),
  lastsUntil: Time.nullable().describe(
    "When the balance runs out at the recent rate; null: not before the month ends",
  ),
  createdAt: Time,
});

const User = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(roles),
  accountId: z.string().nullable(),
  status: Status,
  hasTotp: z.boolean().describe("Whether two-factor authentication is on"),
  hasPassword: z.boolean().describe("false: invited, but no password set yet"),
  linkedTo: z.string().nullable().describe("The linked OpenID Connect provider; null: none"),
  createdAt: Time,
});

const Invitation = z.object({
  isMailed: z.boolean().describe("Whether the link was also sent by email"),
  email: z.string(),
  url: z.string().describe("The link to set a password: works once, for one day, and is shown only here"),
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
  dialect: z.string().describe("The API dialect of its upstream"),
  ...ChannelSettings.shape,
  // As stored: longer than the input if that had to be percent-encoded.
  baseUrl: z.string(),
  credentialHints: z.array(z.string()).describe("The last four characters of each credential"),
  isEnabled: z.boolean(),
  isMovedOff: z
    .boolean()
    .describe("Its traffic goes to the other channels, as long as one of them accepts it"),
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
    .describe("Tokens of prompt and response together; here and below, null: unknown"),
  inputModalities: z.array(z.enum(modalities)).nullable(),
  outputModalities: z.array(z.enum(modalities)).nullable(),
  hasTools: z.boolean().nullable(),
  hasThinking: z.boolean().nullable(),
  videoPrices: z.array(VideoPrice),
  unitPrices: z.array(UnitPrice).describe("Prices of units other than tokens"),
  conditionalPrices: ConditionalPrices,
};

export const resources = {
  ...offerResources,
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
    resetsAt: Time.describe("When the current month ends"),
    earlier: z.array(Month).describe("Earlier months, newest first"),
    users: z.array(User).describe("The users who can sign in to it"),
  }),
  Invitation,
  NewAccount: z.object({
    id: z.string(),
    name: z.string(),
    invitation: Invitation.nullable().describe("The invitation of its first user, if one was given"),
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
        modelId: z.string().describe("The name that clients use"),
        upstreamName: z.string(),
        overrides: Capabilities.partial().describe("Overrides of the presets"),
        inForce: Capabilities.partial().describe("The effective capabilities"),
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
        isMovedOff: z.boolean().describe("Tried last, after all others"),
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
    routing: z.enum(routings).describe("How channels are ordered within a priority"),
    hedgeAfterMs: z
      .number()
      .int()
      .nullable()
      .describe(
        "Milliseconds after which a stream that has not started is also requested from the next channel; null: never",
      ),
    ...tokenPrices,
  }),
  ModelOnSale: z.object({
    ...sold,
    prices: z.object(eachField(() => Money)),
    traffic: shownTraffic,
  }),
  ...trafficResources,
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
      .describe("The hold is released if the vendor confirms that it stopped"),
  }),
  Call,
  MissedPath: z.object({
    method: z.string(),
    path: z.string().describe("Without the query; IDs are replaced by `{id}`"),
    program: z.string().describe("The first product of the user agent"),
    times: z.number().int(),
    firstAt: Time,
    lastAt: Time,
  }),
  LedgerEntry: z.object({
    id: z.string(),
    createdAt: z.coerce.date().pipe(Time),
    kind: z.enum(entryKinds),
    change: Money.describe("The signed change of the available amount"),
    held: Money.nullable(),
    requestId: z.string().nullable(),
    modelId: z.string().nullable(),
    key: KeyName.nullable(),
    note: z.string().nullable(),
  }),
  Statement: Month.extend({
    isUnderWay: z.boolean(),
    isArchived: z.boolean().describe("Its entries are archived; only later entries are listed"),
    start: Time,
    end: Time,
    grant: Money,
    adjusted: Money,
    apart: z
      .object({ topups: Money, refunded: Money, adjustments: Money, carried: Money })
      .describe("The parts of `topups`"),
  }),
  Refund: z.object({
    id: z.string(),
    requestId: z.string(),
    amount: Money,
    period: z.string().describe("The month that was credited: the current one"),
    left: Money.describe("The part of the charge that can still be refunded"),
    available: Money.describe("The available amount of that month after the refund"),
  }),
  AccountMonth,
  WholeStatement,
  TopUp: z.object({ available: Money.describe("The available amount of the current month") }),
  AuditEntry: z.object({
    id: z.string(),
    createdAt: Time,
    actor: z.string().describe("An email, `command`, or the name and ID of a management key"),
    action: z.string(),
    accountId: z.string().nullable(),
    targetId: z.string(),
    targetName: z.string(),
    before: z.unknown().describe("Only fields that changed, under the names at the time of the change"),
    after: z.unknown(),
    address: z.string().nullable(),
  }),
  /** The answer of a request that has nothing else to return. */
  Done: z.object({ done: z.literal(true) }),
};
