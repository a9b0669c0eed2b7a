import type { ErrorDefinition } from "./error-kind";
import type { Texts } from "./language";
import { whyMalformed, whyUnavailable } from "./upstream-reasons";

/** The upstream's own words, for every language. */
const asSaid = (words: string): Texts => ({ zh: words, en: words });

/** All error kinds by their name in code. docs/spec.md, section 7, shows them to clients. */
export const kinds = {
  missingModel: {
    status: 400,
    slug: "missing_model",
    text: () => "缺少 model 参数",
    english: () => "The parameter model is missing",
  },
  invalidMessages: {
    status: 400,
    slug: "invalid_messages",
    text: () => "messages 必须是非空数组",
    english: () => "messages must be a non-empty array",
  },
  missingVersion: {
    status: 400,
    slug: "missing_version",
    text: () => "缺少 anthropic-version 请求头",
    english: () => "The header anthropic-version is missing",
  },
  invalidParameters: { status: 400, slug: "invalid_parameters", text: "explained" },
  invalidJson: {
    status: 400,
    slug: "invalid_json",
    text: () => ({ zh: "请求体不是合法的 JSON 对象", en: "The body is not a valid JSON object" }),
  },
  invalidContentType: {
    status: 400,
    slug: "invalid_content_type",
    text: (type) => ({ zh: `Content-Type 必须是 ${type}`, en: `Content-Type must be ${type}` }),
  },
  bodyTooLarge: {
    status: 400,
    slug: "body_too_large",
    text: (limit) => ({ zh: `请求体超过上限 ${limit}`, en: `The body is larger than the limit of ${limit}` }),
  },
  /** Another channel of the model may support it. */
  cannotConvert: { status: 400, slug: "unsupported_by_model", text: "explained" },
  /**
   * The request expects the server to hold the conversation (a beta of the vendor's), but the next turn may go to
   * another channel. With this body, the SDK's tool runner sends the whole conversation instead (docs/decisions/0010).
   */
  threadUnsupported: {
    status: 400,
    slug: "thread_unsupported",
    text: () => ({
      zh: "不支持 thread,请在每次请求中发送完整的 messages",
      en: "thread is not supported: send all messages with each request",
    }),
    sdkError: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
  },
  /**
   * A response, or an item of one, is not kept for this account. VS Code sends the whole conversation again when it
   * reads this code, so no answer misses the earlier turns.
   */
  responseNotKept: {
    status: 400,
    slug: "previous_response_not_found",
    text: (id) => ({
      zh: `找不到 ${id},请发送完整的 input`,
      en: `${id} was not found: send the whole input`,
    }),
    sdkError: {
      message: "Previous response not found.",
      type: "invalid_request_error",
      code: "previous_response_not_found",
      param: "previous_response_id",
    },
  },
  upstreamRejected: { status: 400, slug: "upstream_rejected", text: asSaid, quotesUpstream: true },
  missingKey: {
    status: 401,
    slug: "missing_api_key",
    text: () => "缺少 API Key",
    english: () => "An API key is missing",
  },
  invalidKey: {
    status: 401,
    slug: "invalid_api_key",
    text: () => "API Key 无效",
    english: () => "The API key is not valid",
  },
  expiredKey: {
    status: 401,
    slug: "expired_api_key",
    text: () => ({ zh: "API Key 已过期", en: "The API key has expired" }),
  },
  quotaExhausted: {
    status: 402,
    slug: "insufficient_quota",
    text: () => "当月额度不足,请先充值",
    english: () => "The monthly quota is used up: top up first",
  },
  keyDisabled: {
    status: 403,
    slug: "key_disabled",
    text: () => "API Key 已被禁用",
    english: () => "The API key is disabled",
  },
  accountDisabled: {
    status: 403,
    slug: "account_disabled",
    text: () => "账号已被禁用",
    english: () => "The account is disabled",
  },
  /** The management key may only read, or belongs to an account. */
  forbidden: {
    status: 403,
    slug: "forbidden",
    text: () => ({ zh: "该管理密钥无权执行此操作", en: "This management key is not permitted to do this" }),
  },
  addressNotAllowed: {
    status: 403,
    slug: "ip_not_allowed",
    text: () => "IP 不在白名单中",
    english: () => "This address is not on the key's allow-list",
  },
  unknownModel: {
    status: 404,
    slug: "model_not_found",
    text: (model) => `模型 ${model} 不存在或未启用`,
    english: (model) => `The model ${model} does not exist or is not enabled`,
  },
  unpricedVideo: {
    status: 404,
    slug: "video_not_priced",
    text: "explained",
  },
  unknownTask: {
    status: 404,
    slug: "task_not_found",
    text: () => ({ zh: "视频任务不存在", en: "Video task not found" }),
  },
  conversationTooLong: {
    status: 400,
    slug: "conversation_too_long",
    text: () => ({
      zh: "该响应之前的对话太长,请用完整的 input 开始新的对话",
      en: "The conversation before this response is too long: start a new one with the whole input",
    }),
  },
  notCancellable: {
    status: 400,
    slug: "not_cancellable",
    text: () => ({
      zh: "只有 background 响应可以取消",
      en: "Only background responses can be cancelled",
    }),
  },
  unknownResponse: {
    status: 404,
    slug: "response_not_found",
    text: () => ({ zh: "该响应不存在或已过期", en: "Response not found or expired" }),
  },
  unknownConversation: { status: 404, slug: "conversation_not_found", text: "explained" },
  /** The vendor cannot cancel the task, or has not received it yet. */
  videoInProgress: {
    status: 409,
    slug: "video_in_progress",
    text: () => ({
      zh: "视频正在生成,上游无法取消,请在任务结束后再删除",
      en: "The video is being generated and its upstream cannot stop it: delete it after it has ended",
    }),
  },
  noVideoFile: {
    status: 404,
    slug: "video_file_not_found",
    text: () => ({ zh: "视频文件不存在或尚未生成", en: "The video file does not exist or is not ready yet" }),
  },
  upgradeRefused: {
    status: 426,
    slug: "upgrade_refused",
    text: () => ({
      zh: "不支持 WebSocket,请用 HTTP 请求",
      en: "WebSocket is not supported: use HTTP",
    }),
  },
  unknownEncoding: {
    status: 415,
    slug: "unsupported_encoding",
    text: (encoding) => ({
      zh: `不支持的 Content-Encoding: ${encoding}`,
      en: `The Content-Encoding ${encoding} is not supported`,
    }),
  },
  rangeNotSatisfiable: {
    status: 416,
    slug: "range_not_satisfiable",
    text: () => ({ zh: "Range 超出视频文件的范围", en: "The range is outside the video file" }),
  },
  taskForbidden: {
    status: 403,
    slug: "task_forbidden",
    text: () => ({ zh: "无权访问该视频任务", en: "You may not access this video task" }),
  },
  idempotencyMismatch: {
    status: 409,
    slug: "idempotency_mismatch",
    text: () => ({
      zh: "该 Idempotency-Key 已用于内容不同的请求",
      en: "This Idempotency-Key was already used with a different body",
    }),
  },
  /** Clients should repeat the request. */
  idempotencyInProgress: {
    status: 409,
    slug: "idempotency_in_progress",
    text: () => ({
      zh: "使用该 Idempotency-Key 的请求仍在处理中,请稍后再试",
      en: "The first request with this Idempotency-Key is still being processed: try again later",
    }),
    retry: true,
  },
  idempotencyNotKept: {
    status: 409,
    slug: "idempotency_not_kept",
    text: () => ({
      zh: "使用该 Idempotency-Key 的请求已经完成,但结果没有保留;如需重新生成,请换一个新的 Idempotency-Key",
      en: "The first request with this Idempotency-Key has ended, but its response was not kept: to run it again, use a new key",
    }),
  },
  unknownPath: {
    status: 404,
    slug: "unknown_path",
    text: (path) => ({ zh: `接口 ${path} 不存在`, en: `The endpoint ${path} does not exist` }),
  },
  notServed: { status: 404, slug: "not_served", text: "explained" },
  /** `paths`: the called path and the right one. */
  wrongBaseUrl: {
    status: 404,
    slug: "wrong_base_url",
    text: (paths) => ({
      zh: `接口不存在,请检查 base URL: ${paths}`,
      en: `The endpoint does not exist, check the base URL: ${paths}`,
    }),
  },
  methodNotAllowed: {
    status: 405,
    slug: "method_not_allowed",
    text: (method) => ({ zh: `不支持 ${method} 方法`, en: `The method ${method} is not supported` }),
  },
  rateLimited: {
    status: 429,
    slug: "rate_limited",
    text: () => "API 调用过于频繁,请稍后再试",
    english: () => "Too many requests: try again later",
  },
  /** Too many concurrent calls of the key or of the account (`x-ratelimit-scope`). */
  tooManyAtOnce: {
    status: 429,
    slug: "too_many_at_once",
    text: () => "API 调用过于频繁,请稍后再试",
    english: () => "Too many concurrent requests: try again later",
  },
  /** Not sent to a client; only the log shows it. */
  clientGone: {
    status: 499,
    slug: "client_gone",
    text: () => ({ zh: "客户端已断开", en: "The client disconnected" }),
  },
  billingFailed: {
    status: 500,
    slug: "billing_failed",
    text: () => "计费失败,请联系管理员",
    english: () => "The request could not be charged: contact the administrator",
    retry: false,
  },
  internal: {
    status: 500,
    slug: "internal",
    text: () => ({ zh: "服务器内部错误", en: "Internal server error" }),
  },
  upstreamsUnavailable: {
    status: 502,
    slug: "upstreams_unavailable",
    text: () => "上游渠道全部不可用",
    english: whyUnavailable,
  },
  upstreamMalformed: {
    status: 502,
    slug: "upstream_malformed",
    text: () => "上游响应格式异常",
    english: whyMalformed,
    retry: false,
  },
  /** Only within a stream: the upstream's message when it broke off. */
  upstreamFailed: { status: 502, slug: "upstream_failed", text: asSaid, retry: false, quotesUpstream: true },
  noVideoChannel: {
    status: 503,
    slug: "no_video_channel",
    text: (model) => ({
      zh: `模型 ${model} 当前没有可用的视频渠道`,
      en: `No video channel is available for the model ${model} at the moment`,
    }),
  },
  unavailable: {
    status: 503,
    slug: "unavailable",
    text: () => ({ zh: "服务暂不可用,请稍后再试", en: "The service is unavailable: try again later" }),
  },
  upstreamBusy: {
    status: 503,
    slug: "upstream_busy",
    text: () => ({ zh: "上游繁忙,请稍后再试", en: "The upstream is busy: try again later" }),
  },
} satisfies Record<string, ErrorDefinition>;
