import type { Texts } from "./language";

/**
 * Detailed error messages for kinds that need one: every such sentence of the gateway, in each language. `field` is a
 * name from the API, which is not translated.
 */
export const errorMessages = {
  // A member of a body, or a header.
  invalid: (field: string) => both(`${field} 不合法`, `${field} is not valid`),
  unknownMember: (field: string) => both(`未知参数 ${field}`, `unknown parameter ${field}`),
  tooNested: () => both("请求体过大或嵌套过深", "the body is too large or nested too deeply"),
  notInQuery: () =>
    both("该请求的参数必须放在请求体中", "the parameters of this request must be in its body"),
  unstorable: () => both("含有无法存储的字符", "it contains a character that cannot be stored"),
  nothingToChange: () => both("请求未包含任何要修改的内容", "the request contains nothing to change"),
  mustBeText: (field: string) => both(`${field} 必须是字符串`, `${field} must be a string`),
  mustBeNonEmptyText: (field: string) =>
    both(`${field} 必须是非空字符串`, `${field} must be a non-empty string`),
  mustBeTextOf: (field: string, { min, max }: Range) =>
    both(
      `${field} 必须是 ${min} 到 ${max} 个字符的字符串`,
      `${field} must be a string of ${min} to ${max} characters`,
    ),
  mustBeTexts: (field: string) => both(`${field} 必须是字符串数组`, `${field} must be an array of strings`),
  mustBeObject: (field: string) => both(`${field} 必须是对象`, `${field} must be an object`),
  mustBeObjects: (field: string) => both(`${field} 必须是对象数组`, `${field} must be an array of objects`),
  mustBeBoolean: (field: string) => both(`${field} 必须是布尔值`, `${field} must be a boolean`),
  mustBeNumber: (field: string, { min, max }: Range) =>
    both(`${field} 必须是 ${min} 到 ${max} 之间的数字`, `${field} must be a number from ${min} to ${max}`),
  mustBeInteger: (field: string, { min, max }: Range) =>
    both(`${field} 必须是 ${min} 到 ${max} 之间的整数`, `${field} must be an integer from ${min} to ${max}`),
  mustBePositive: (field: string) => both(`${field} 必须是正整数`, `${field} must be a positive integer`),
  mustNotBeNegative: (field: string) =>
    both(`${field} 必须是非负整数`, `${field} must be an integer of at least 0`),
  mustBeOneOf: (field: string, values: readonly (string | number)[]) =>
    both(`${field} 必须是 ${values.join("、")} 之一`, `${field} must be one of ${values.join(", ")}`),
  mustBeContent: (field: string) =>
    both(`${field} 必须是字符串或内容块数组`, `${field} must be a string or an array of content blocks`),
  mustBeTextBlocks: (field: string) =>
    both(`${field} 必须是字符串或文本块数组`, `${field} must be a string or an array of text blocks`),
  mustNotBeEmpty: (field: string) => both(`${field} 不能为空`, `${field} must not be empty`),
  mostItems: (field: string, max: number) =>
    both(`${field} 最多 ${max} 项`, `${field} can have at most ${max} items`),
  longName: (field: string, max: number) =>
    both(`${field} 的 name 最多 ${max} 个字符`, `${field}: a name can have at most ${max} characters`),
  repeatedReference: () =>
    both("input 中同一个 item_reference 只能出现一次", "input can refer to an item only once"),
  metadata: () =>
    both(
      "metadata 最多 16 项,键最多 64 个字符,值为最多 512 个字符的文本",
      "metadata can have at most 16 keys of 64 characters, with texts of 512 characters",
    ),
  lacksName: (field: string) => both(`${field} 缺少 name`, `${field} has no name`),
  onceInLowerCase: (field: string) =>
    both(`${field} 只能出现一次,且必须小写`, `${field} must appear only once, in lower case`),
  inBothSpellings: (field: string) =>
    both(`${field} 只能以一种写法出现一次`, `${field} must appear only once, in one spelling`),
  oneLength: (field: string) =>
    both(`同一请求中的 ${field} 必须相同`, `${field} must be the same throughout a request`),
  tooLargeToCount: () => both("请求过大,无法计数", "the request is too large to count"),
  streamOptions: () =>
    both(
      "stream_options 必须是对象,include_usage 必须是布尔值",
      "stream_options must be an object, and its include_usage a boolean",
    ),
  chatMessages: () =>
    both(
      "messages 的每一项必须是带有 role 字符串的对象",
      "each message must be an object with a string role",
    ),
  turns: () =>
    both(
      "messages 的每一项必须有 role (user、assistant 或 system) 和 content (字符串或内容块数组)",
      "each message must have a role (user, assistant or system) and content (a string or an array of content blocks)",
    ),
  embeddingInput: () => both("input 必须是字符串或数组", "input must be a string or an array"),
  embeddingItems: () =>
    both(
      "input 数组的各项必须全部是字符串, 或全部是 token 整数, 或全部是 token 整数数组",
      "the items of input must be all strings, all integers (tokens), or all arrays of integers",
    ),
  emptyItem: (place: number) =>
    both(`input 的第 ${place} 项不能为空`, `item ${place} of input must not be empty`),
  tooManyFields: ({ fields, values, depth }: { fields: number; values: number; depth: number }) =>
    both(
      `请求体的字段过多或嵌套过深 (上限 ${fields} 个字段, ${values} 个值, ${depth} 层)`,
      `the body has too many fields or is nested too deeply (at most ${fields} fields, ${values} values, ${depth} levels)`,
    ),
  notForm: () => both("请求体不是合法的 multipart/form-data", "the body is not valid multipart/form-data"),
  mustBeFile: (field: string) => both(`${field} 必须是一个文件`, `${field} must be a file`),
  headerTooLong: (name: string, max: number) =>
    both(
      `${name} 请求头过长 (上限 ${max} 个字符)`,
      `the header ${name} is too long (at most ${max} characters)`,
    ),
  idempotencyKey: () =>
    both(
      "Idempotency-Key 请求头必须是 1 到 255 个可打印 ASCII 字符",
      "the header Idempotency-Key must be 1 to 255 printable ASCII characters",
    ),

  // Features that the model's upstream does not support.
  notConvertible: (field: string) =>
    both(`${field} 无法转换到该模型`, `${field} cannot be converted for this model`),
  valueNotConvertible: (field: string, value: string) =>
    both(
      `${field} 的值 ${value} 无法转换到该模型`,
      `the value ${value} of ${field} cannot be converted for this model`,
    ),
  onlyText: (field: string) => both(`${field} 只能包含文本`, `${field} can contain only text`),
  oneResult: () =>
    both("n 必须为 1,该模型一次只返回一个结果", "n must be 1: this model returns one result at a time"),
  noAudio: () =>
    both(
      "modalities 不能含 audio,该模型不支持音频",
      "modalities must not contain audio, which this model does not support",
    ),
  noImages: (field: string) =>
    both(`${field} 是图片,该模型不支持图片`, `${field} is an image, which this model does not support`),
  noImageAddresses: (field: string) =>
    both(
      `${field} 是图片地址,该模型只接受 data URL`,
      `${field} is an image URL, and this model accepts only data URLs`,
    ),
  imageForm: (field: string) =>
    both(
      `${field} 必须是 jpeg、png、gif 或 webp 图片的 base64 data URL 或 http(s) 地址`,
      `${field} must be a jpeg, png, gif or webp image as a base64 data URL or an http(s) address`,
    ),
  fileForm: (field: string) =>
    both(`${field} 的文件必须是 base64 data URL`, `the file of ${field} must be a base64 data URL`),
  fileType: (field: string, type: string) =>
    both(
      `${field} 的文件类型 ${type} 不受该模型支持`,
      `the file type ${type} of ${field} is not supported by this model`,
    ),
  noDocuments: (field: string) =>
    both(`${field} 是 PDF,该模型不支持文档`, `${field} is a PDF, and this model does not support documents`),
  askForFileData: (field: string) =>
    both(
      `${field} 无法转换到该模型,请用 file_data`,
      `${field} cannot be converted for this model: use file_data`,
    ),
  noBlock: (field: string, type: string) =>
    both(
      `${field}: 该模型不支持 ${type} 内容块`,
      `${field}: this model does not support ${type} content blocks`,
    ),
  noSource: (block: string, type: string) =>
    both(
      `messages: 该模型不支持 ${block}.source.type 为 ${type} 的内容`,
      `messages: this model does not support a ${block}.source.type of ${type}`,
    ),
  noContent: () => both("messages: 没有非空的内容", "messages: there is no non-empty content"),
  noSearchOption: (field: string) =>
    both(
      `tools: 该模型的联网搜索不支持 ${field}`,
      `tools: this model's web search does not support ${field}`,
    ),
  noServerTool: (type: string) =>
    both(
      `tools: 该模型不支持服务端工具 ${type}`,
      `tools: this model does not support the server tool ${type}`,
    ),
  noTool: (type: string) =>
    both(`tools: 该模型不支持 ${type} 工具`, `tools: this model does not support ${type} tools`),
  namelessTool: () =>
    both("tools: 该模型不支持没有 name 的工具", "tools: this model does not support tools without a name"),
  noToolChoice: (type: string) =>
    both(`tool_choice.type 不支持 ${type}`, `a tool_choice.type of ${type} is not supported`),
  noCacheWarming: () =>
    both(
      "max_tokens: 该模型不支持 0 (缓存预热)",
      "max_tokens: this model does not support 0 (warming a cache)",
    ),
  completionPrompt: (max: number) =>
    both(
      `prompt 必须是非空文本或非空文本的数组,结果总数(prompt 数 × n)不能超过 ${max}`,
      `prompt must be a non-empty string or an array of non-empty strings, with at most ${max} results in total (prompts × n)`,
    ),
  noSuffix: () => both("该模型不支持 suffix", "this model does not support suffix"),
  responsesInput: () =>
    both("input 必须是文本或非空的 item 数组", "input must be a string or a non-empty array of items"),
  noItem: (field: string) =>
    both(`没有 ${field} 所指的 item`, `the item that ${field} refers to was not found`),
  notSupported: (field: string) => both(`不支持 ${field}`, `${field} is not supported`),
  mostStops: (field: string, max: number) =>
    both(
      `${field}: 该模型最多支持 ${max} 个停止序列`,
      `${field}: this model supports at most ${max} stop sequences`,
    ),
  longestStop: (field: string, max: number) =>
    both(
      `${field}: 停止序列不能超过 ${max} 个字符`,
      `${field}: a stop sequence can have at most ${max} characters`,
    ),
  schemaForm: () =>
    both(
      "output_config.format 必须是 json_schema 及其 schema",
      "output_config.format must be json_schema with its schema",
    ),
  noSchema: () =>
    both(
      "output_config.format: 该模型不支持按 JSON Schema 输出",
      "output_config.format: this model does not support JSON Schema output",
    ),

  backgroundIsKept: () =>
    both(
      "background 响应必须保存 (store),不能流式返回 (stream)",
      "a background response must be stored (store) and cannot be streamed (stream)",
    ),
  conversationItems: (max: number) =>
    both(`items 必须是对象数组,最多 ${max} 项`, `items must be an array of at most ${max} objects`),
  noConversation: () => both("该 conversation 不存在或已过期", "conversation not found or expired"),
  brokenConversation: () =>
    both(
      "该 conversation 的部分内容已不再保存,请新建一个",
      "part of the conversation is no longer kept: create a new one",
    ),
  conversationGrown: () =>
    both(
      "排队期间 conversation 变长,冻结的金额已不够,未收取费用;请重新提交",
      "the conversation grew while the request was queued, and the amount on hold is no longer enough; nothing was charged: submit it again",
    ),
  noConversationItem: () => both("该 conversation 中没有这个 item", "the conversation has no such item"),
  conversationIsKept: () =>
    both(
      "该账号或服务未开启响应保存,无法使用 conversation;请在 input 中发送完整对话",
      "the account or the server does not store responses, so conversations are not available: send the whole conversation in input",
    ),
  conversation: () =>
    both(
      "conversation 必须是字符串,或带有 id 字符串的对象",
      "conversation must be a string or an object with a string id",
    ),
  notTogether: (field: string, other: string) =>
    both(`${field} 和 ${other} 不能同时使用`, `${field} and ${other} cannot be used together`),
  backgroundLost: () =>
    both(
      "处理该响应的进程已退出,未收取费用",
      "the process that handled this response has ended; nothing was charged",
    ),

  // Videos.
  noParameter: ({ name, value, allowed }: { name: string; value: string | number; allowed?: string }) =>
    both(
      `该模型不支持 ${name} ${value}${allowed === undefined ? "" : `,可选: ${allowed}`}`,
      `this model does not support ${name} ${value}${allowed === undefined ? "" : `; supported: ${allowed}`}`,
    ),
  noClip: ({ wanted, allowed }: { wanted: Clip; allowed: Clip }) =>
    both(
      `该模型不支持 ${wanted.durationSeconds} 秒 ${wanted.resolution},可选: ${allowed.durationSeconds} 秒 ${allowed.resolution}`,
      `this model does not support ${wanted.durationSeconds} s ${wanted.resolution}; supported: ${allowed.durationSeconds} s ${allowed.resolution}`,
    ),
  onlyFromPrompt: (field: string) =>
    both(
      `不支持 ${field}: 视频只能由 prompt 生成`,
      `${field} is not supported: videos are generated from a prompt only`,
    ),
  noVideoEdits: (operation: string) =>
    both(
      `不支持 ${operation}: 已有的视频不能编辑、延长或重制,请用新的 prompt 重新生成`,
      `${operation} is not supported: existing videos cannot be edited, extended or remixed; generate a new one from a prompt`,
    ),
  noSandboxModel: (model: string) =>
    both(`沙箱没有视频模型 ${model}`, `the sandbox has no video model ${model}`),
  imageNotPriced: (model: string, variant: string) =>
    both(
      `模型未对该尺寸和质量定价: ${model}, ${variant}`,
      `the model has no price for this size and quality: ${model}, ${variant}`,
    ),
  rerankDocuments: () =>
    both("documents 必须是非空的文本或对象数组", "documents must be a non-empty array of strings or objects"),
  notPriced: ({ model, combination, sold }: { model: string; combination: Clip; sold: Clip[] }) =>
    both(
      `模型未对该参数组合定价: ${model}, ${combination.durationSeconds} 秒 ${combination.resolution} (已定价: ${
        sold.map((clip) => `${clip.durationSeconds} 秒 ${clip.resolution}`).join("、") || "无"
      })`,
      `the model has no price for these parameters: ${model}, ${combination.durationSeconds} s ${combination.resolution} (priced: ${
        sold.map((clip) => `${clip.durationSeconds} s ${clip.resolution}`).join(", ") || "none"
      })`,
    ),
};

type Range = { min: number; max: number };
type Clip = { durationSeconds: number; resolution: string };

function both(zh: string, en: string): Texts {
  return { zh, en };
}
