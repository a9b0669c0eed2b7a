/**
 * Closed lists that tables, rooms, doors and the browser share, each written once. Nothing of the server is imported
 * here, so a page may.
 */

/** In answers to the console: which build of it the server has. */
export const BUILD_HEADER = "x-console-build";

/** Whether an account, a user or a key is in use. */
export const statuses = ["active", "disabled"] as const;
export type Status = (typeof statuses)[number];

/** How a key is to a reader: one that is disabled is only that, expired or not. */
export const keyStates = [...statuses, "expired"] as const;
export type KeyState = (typeof keyStates)[number];

/** How far back a list of keys draws what each has spent: 24 hours, or 30 days. */
export const sparkSpans = ["hours", "days"] as const;
export type SparkSpan = (typeof sparkSpans)[number];

/** What usage is shown of: today, the last 24 hours, the last 7 days, the month under way, the one before. */
export const usageRanges = ["today", "day", "week", "month", "last-month"] as const;
export type UsageRange = (typeof usageRanges)[number];

/** And what it is summed up by. */
export const usageGroups = ["model", "key", "key_model", "account"] as const;
export type UsageBy = (typeof usageGroups)[number];

/** What a group by key and model is of. Its identifier is both, with a space between, which no key's has. */
export function keyAndModelOf(id: string): { keyId: string; modelId: string } {
  const [keyId = "", ...rest] = id.split(" ");
  return { keyId, modelId: rest.join(" ") };
}

/** What operators see of it by what. */
export const marginGroups = ["model", "channel", "account"] as const;
export type MarginBy = (typeof marginGroups)[number];

/** In what order lists are read, where an index has it: by a column, and with `-` the other way round. */
export const accountSorts = ["-created", "created", "name", "-name", "lastsUntil"] as const;
export const callSorts = ["-time", "time"] as const;
export const taskSorts = ["-created", "created"] as const;

/** What webhooks and e-mails tell of an account. */
export const accountEvents = [
  "quota.threshold",
  "key.cap_threshold",
  "daily_limit.threshold",
  "spend.anomaly",
  "video.completed",
  "video.failed",
] as const;
/** And whoever runs the gateway. */
export const eventTypes = [...accountEvents, "channel.failing", "channel.recovered"] as const;
export type EventType = (typeof eventTypes)[number];
/** `webhook.test`: only to one that somebody tests. */
export const toldTypes = [...eventTypes, "webhook.test", "mail.test"] as const;
export type ToldType = (typeof toldTypes)[number];

/** What people of an account may be; the first is who it is made for. */
export const accountRoles = ["owner", "member", "reader"] as const;
/** And those who run the gateway. `operator`: everything; the console calls them admins. */
export const staffRoles = ["operator", "support", "finance", "viewer"] as const;
export const roles = [...accountRoles, ...staffRoles] as const;
export type Role = (typeof roles)[number];

/**
 * What operations and queries ask of a role; who has which is in `roles.ts`. What ends in `read` changes nothing.
 * `read`: of one's own account, or of all of them; `account.read`, `staff.read`: what only one side looks at.
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

/** What a model takes and answers with, in the order in which it is told. `file`: documents such as PDFs. */
export const modalities = ["text", "image", "file", "audio", "video"] as const;
export type Modality = (typeof modalities)[number];

/**
 * By what the channels of a model are ordered within a priority: their weights; the weights, with what belongs to one
 * conversation always at the same; how soon they have answered lately; what they are paid.
 */
export const routings = ["weight", "affinity", "fastest", "cheapest"] as const;
export type Routing = (typeof routings)[number];

/**
 * What the ledger has lines of. `adjust`: of a month's quota; `adjustment`: an operator's credit or debit; `refund`: of
 * one capture.
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

/** Who takes money from customers. */
export const paymentProviders = ["stripe"] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

/**
 * A payment by a customer. `processing`: made, but the money is on its way, as a bank's transfer is for days; `review`:
 * what was paid is not what was asked for, so that somebody has to look at it.
 */
export const paymentStates = ["open", "processing", "paid", "failed", "expired", "review"] as const;
export type PaymentState = (typeof paymentStates)[number];

/** What became of a payment that somebody's bank wanted back. */
export const disputeStates = ["open", "won", "lost"] as const;
export type DisputeState = (typeof disputeStates)[number];

/** Where the counts of a charge come from; `request`: the call itself says it all, as of characters to be spoken or a file's seconds. */
export const usageSources = ["upstream", "partial", "estimated", "request"] as const;
export type UsageSource = (typeof usageSources)[number];

/** Why an answer that was charged is not whole. `server_stopped`: it went on beyond the drain of a restart. */
export const cuts = ["server_stopped", "client_gone", "upstream_failed", "hold_lost"] as const;
export type Cut = (typeof cuts)[number];

/** What an operator can choose that a channel's vendor speaks. The sandbox is made by the first start. */
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

/** What a video may be asked for (spec section 4.5). */
export const durations = [5, 10, 15] as const;
export const resolutions = ["480p", "720p", "1080p"] as const;
export type Resolution = (typeof resolutions)[number];
export const aspectRatios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
export type AspectRatio = (typeof aspectRatios)[number];

/** A video task's states as clients see them; before an upstream is known to have it, it is `submitting` to us. */
export const shownTaskStates = ["processing", "completed", "failed", "cancelled"] as const;
export type ShownTaskState = (typeof shownTaskStates)[number];
export const taskStates = ["submitting", ...shownTaskStates] as const;
export type TaskState = (typeof taskStates)[number];

/** The endpoints whose calls are recorded: as the log, the metrics and the list of calls name them, and as documented. */
export const endpointPaths = {
  "chat.completions": "/v1/chat/completions",
  completions: "/v1/completions",
  messages: "/v1/messages",
  "messages.count_tokens": "/v1/messages/count_tokens",
  responses: "/v1/responses",
  "responses.stored": "/v1/responses/{id}",
  "responses.compact": "/v1/responses/compact",
  "responses.input_tokens": "/v1/responses/input_tokens",
  conversations: "/v1/conversations/{id}",
  "gemini.generate": "/v1beta/models/{model}:generateContent",
  "gemini.count_tokens": "/v1beta/models/{model}:countTokens",
  "gemini.predict": "/v1beta/models/{model}:predict",
  "gemini.embed": "/v1beta/models/{model}:embedContent",
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  imageEdits: "/v1/images/edits",
  speech: "/v1/audio/speech",
  transcriptions: "/v1/audio/transcriptions",
  translations: "/v1/audio/translations",
  rerank: "/v1/rerank",
  moderations: "/v1/moderations",
  "videos.submit": "POST /v1/videos/generations",
  "videos.status": "GET /v1/videos/generations/{id}",
  "videos.content": "GET /v1/videos/generations/{id}/content",
  "openai_videos.create": "POST /v1/videos",
  "openai_videos.retrieve": "GET /v1/videos/{id}",
  "openai_videos.list": "GET /v1/videos",
  "openai_videos.delete": "DELETE /v1/videos/{id}",
  "openai_videos.content": "GET /v1/videos/{id}/content",
  balance: "GET /v1/usage",
} as const;
export type EndpointName = keyof typeof endpointPaths;
export const endpointNames = Object.keys(endpointPaths) as EndpointName[];
