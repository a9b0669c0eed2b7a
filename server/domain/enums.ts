/**
 * Closed lists that tables, rooms, entry points and the browser share, each written once. Imports nothing from the
 * server, so pages may use it.
 */

/** In responses to the console: the console build that the server has. */
export const BUILD_HEADER = "x-console-build";

/** Whether an account, a user or a key is in use. */
export const statuses = ["active", "disabled"] as const;
export type Status = (typeof statuses)[number];

/** A key's state for users: a disabled key is `disabled`, expired or not. */
export const keyStates = [...statuses, "expired"] as const;
export type KeyState = (typeof keyStates)[number];

/** Range of the spend charts in lists of keys: 24 hours, or 30 days. */
export const sparkSpans = ["hours", "days"] as const;
export type SparkSpan = (typeof sparkSpans)[number];

/** Ranges of the usage view; `day`: the last 24 hours, `week`: the last 7 days. */
export const usageRanges = ["today", "yesterday", "day", "week", "30-days", "month", "last-month"] as const;
export type UsageRange = (typeof usageRanges)[number];

/** Groupings of the usage view. */
export const usageGroups = ["model", "key", "key_model", "account"] as const;
export type UsageBy = (typeof usageGroups)[number];

/**
 * Splits the identifier of a `key_model` group: key and model with a space between, which no key identifier contains.
 */
export function keyAndModelOf(id: string): { keyId: string; modelId: string } {
  const [keyId = "", ...rest] = id.split(" ");
  return { keyId, modelId: rest.join(" ") };
}

/** Groupings of the operators' margin view. */
export const marginGroups = ["model", "channel", "account"] as const;
export type MarginBy = (typeof marginGroups)[number];

/** Sort orders of lists, each with an index: by a column, and with `-` in reverse. */
export const accountSorts = ["-created", "created", "name", "-name", "lastsUntil"] as const;
/** Calls by their figures have no index: a bounded number of them is compared. */
export const callSorts = ["-time", "time", "-cost", "-tokens", "-duration"] as const;
export const taskSorts = ["-created", "created"] as const;

/** Events of an account, for webhooks and e-mails. */
export const accountEvents = [
  "quota.threshold",
  "key.cap_threshold",
  "daily_limit.threshold",
  "spend.anomaly",
  "video.completed",
  "video.failed",
] as const;
/** All events, including those for operators. */
export const eventTypes = [
  ...accountEvents,
  "channel.failing",
  "channel.recovered",
  "channel.models_changed",
] as const;
export type EventType = (typeof eventTypes)[number];
/** Also test events. `webhook.test` goes only to the webhook under test. */
export const notificationTypes = [...eventTypes, "webhook.test", "mail.test"] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** Roles of an account's users; the first is that of the person for whom the account is created. */
export const accountRoles = ["owner", "member", "reader"] as const;
/** Roles of the staff, who run the gateway. `operator`: all permissions of the staff; the console calls them admins. */
export const staffRoles = ["operator", "support", "finance", "viewer"] as const;
export const roles = [...accountRoles, ...staffRoles] as const;
export type Role = (typeof roles)[number];

/**
 * Permissions that operations and queries require; `roles.ts` has the roles that grant them. Those that end in `read`
 * change nothing. `read`: of the reader's account, or for staff of all accounts; `account.read`, `staff.read`: views of
 * one side only.
 */
export const permissions = [
  "read",
  "account.read",
  "staff.read",
  "channels.read",
  "people.read",
  "management_keys.read",
  "notifications.read",
  "costs.read",
  "audit.read",
  "keys.write",
  "keys.switch",
  "calls.make",
  "videos.cancel",
  "notifications.write",
  "responses.write",
  "money.pay",
  "people.write",
  "people.reset",
  "management_keys.write",
  "accounts.write",
  "accounts.switch",
  "money.write",
  "prices.write",
  "channels.write",
] as const;
export type Permission = (typeof permissions)[number];

export const modelKinds = [
  "chat",
  "embedding",
  "video",
  "image",
  "speech",
  "transcription",
  "rerank",
  "moderation",
] as const;
export type ModelKind = (typeof modelKinds)[number];

/** Inputs and outputs of models, in display order. `file`: documents such as PDFs. */
export const modalities = ["text", "image", "file", "audio", "video"] as const;
export type Modality = (typeof modalities)[number];

/**
 * How the channels of a model are ordered within a priority: by weight; by weight, with a conversation always at the
 * same channel; by recent speed; by cost.
 */
export const routings = ["weight", "affinity", "fastest", "cheapest"] as const;
export type Routing = (typeof routings)[number];

/**
 * Kinds of ledger entries. `adjust`: a change of a month's quota; `adjustment`: an operator's credit or debit;
 * `refund`: money back for one capture.
 */
export const entryKinds = [
  "capture",
  "release",
  "topup",
  "refund",
  "adjustment",
  "carryover",
  "adjust",
  "grant",
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Payment providers for customers. */
export const paymentProviders = ["stripe"] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

/**
 * The state of a customer's payment. `processing`: made, but the money is under way, for days with a bank transfer;
 * `review`: the paid amount differs from the requested one, so an operator must check it.
 */
export const paymentStates = ["open", "processing", "paid", "failed", "expired", "review"] as const;
export type PaymentState = (typeof paymentStates)[number];

/** The state of a payment that the customer's bank disputes. */
export const disputeStates = ["open", "won", "lost"] as const;
export type DisputeState = (typeof disputeStates)[number];

/** Tiers of service with their own prices; a vendor's usual tier is none of them. */
export const serviceTiers = ["batch", "flex", "priority"] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/**
 * The source of a charge's counts; `request`: the request itself, for example characters to speak or a file's seconds.
 */
export const usageSources = ["upstream", "partial", "estimated", "request"] as const;
export type UsageSource = (typeof usageSources)[number];

/** Why a charged answer is incomplete. `server_stopped`: it lasted longer than the drain of a restart. */
export const cuts = ["server_stopped", "client_gone", "upstream_failed", "hold_lost"] as const;
export type Cut = (typeof cuts)[number];

/** Vendor APIs that an operator can choose for a channel. The first start creates the sandbox. */
export const chosenVendorApis = [
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "dashscope",
  "ark",
  "openai-video",
  "xai-video",
  "kling",
] as const;
export const vendorApis = [...chosenVendorApis, "sandbox"] as const;
export type VendorApi = (typeof vendorApis)[number];

const conversing: readonly VendorApi[] = ["openai", "openai-responses", "anthropic", "gemini", "sandbox"];

/** Whether the API serves conversations. The others make videos only. */
export const converses = (api: VendorApi): boolean => conversing.includes(api);

/** Valid video parameters (spec section 4.5). */
export const durations = [5, 10, 15] as const;
export const resolutions = ["480p", "720p", "1080p"] as const;
export type Resolution = (typeof resolutions)[number];
export const aspectRatios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
export type AspectRatio = (typeof aspectRatios)[number];

/** A video task's states for clients. Internally, it is `submitting` until an upstream is known to have it. */
export const shownTaskStates = ["processing", "completed", "failed", "cancelled"] as const;
export type ShownTaskState = (typeof shownTaskStates)[number];
export const taskStates = ["submitting", ...shownTaskStates] as const;
export type TaskState = (typeof taskStates)[number];
