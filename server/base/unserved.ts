import type { Texts } from "./language";

const both = (zh: string, en: string): Texts => ({ zh, en });

/** Vendors' operations that the gateway does not serve: the reason, and an alternative. */
export const unserved = {
  prompts: both(
    "prompt 引用的模板保存在供应商处,网关无法读取,请用 instructions 和 input 发送其内容",
    "what prompt refers to is kept by a vendor, and cannot be read here: send its text in instructions and input",
  ),
  files: both(
    "网关不保存文件,请把文件内容直接放进请求 (data URL、file_data 或 inlineData)",
    "no files are kept here: put their content into the call itself (a data URL, file_data or inlineData)",
  ),
  batches: both("不提供批量任务,请逐个发送请求", "there are no batches here: send the requests one by one"),
  assistants: both(
    "不提供 Assistants、Threads 和向量库,请用 /v1/responses",
    "there are no assistants, threads or vector stores here: use /v1/responses",
  ),
  realtime: both(
    "不提供实时会话,请用 /v1/audio 下的接口和 /v1/chat/completions",
    "there are no realtime sessions here: use the endpoints under /v1/audio and /v1/chat/completions",
  ),
  variations: both(
    "不提供图片变体,请用 /v1/images/edits",
    "there are no variations of images here: use /v1/images/edits",
  ),
  textCompletions: both(
    "该接口已被取代,请用 /v1/messages",
    "this endpoint is a former one: use /v1/messages",
  ),
  storedCompletions: both(
    "网关不保存对话结果;需要保存时请用 /v1/responses",
    "chat completions are not kept here: use /v1/responses where answers are to be kept",
  ),
  interactions: both(
    "不提供 Interactions,请用 /v1beta/models/{model}:generateContent",
    "there are no interactions here: use /v1beta/models/{model}:generateContent",
  ),
  caches: both(
    "不提供显式缓存 (cachedContents);相同的提示词开头由供应商自动缓存,请直接发送完整内容",
    "nothing is put into a cache by name (cachedContents): send the whole content, whose beginning vendors cache by themselves",
  ),
  longPredictions: both(
    "视频请用 /v1/videos 或 /v1/videos/generations",
    "for videos use /v1/videos or /v1/videos/generations",
  ),
  vendorsOwn: both(
    "该接口管理的是供应商自己的资源,网关不提供",
    "this endpoint manages what a vendor keeps for its own customers, and is not served here",
  ),
};
