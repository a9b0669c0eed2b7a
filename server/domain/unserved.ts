import { both } from "@/server/base/language";

/** Vendors' operations that the gateway does not serve: the reason, and an alternative. */
export const unserved = {
  prompts: both(
    "prompt 引用的模板保存在供应商处,网关无法读取,请用 instructions 和 input 发送其内容",
    "the template that prompt refers to is stored at the vendor and cannot be read here: send its text in instructions and input",
  ),
  files: both(
    "网关不保存文件,请把文件内容直接放进请求 (data URL、file_data 或 inlineData)",
    "files are not stored here: put their content into the request (a data URL, file_data or inlineData)",
  ),
  batches: both("不提供批量任务,请逐个发送请求", "batches are not supported: send requests one by one"),
  assistants: both(
    "不提供 Assistants、Threads 和向量库,请用 /v1/responses",
    "assistants, threads and vector stores are not supported: use /v1/responses",
  ),
  realtime: both(
    "不提供实时会话,请用 /v1/audio 下的接口和 /v1/chat/completions",
    "realtime sessions are not supported: use the endpoints under /v1/audio and /v1/chat/completions",
  ),
  variations: both(
    "不提供图片变体,请用 /v1/images/edits",
    "image variations are not supported: use /v1/images/edits",
  ),
  textCompletions: both("该接口已被取代,请用 /v1/messages", "this endpoint was replaced: use /v1/messages"),
  storedCompletions: both(
    "网关不保存对话结果;需要保存时请用 /v1/responses",
    "chat completions are not stored: to store responses, use /v1/responses",
  ),
  interactions: both(
    "不提供 Interactions,请用 /v1beta/models/{model}:generateContent",
    "interactions are not supported: use /v1beta/models/{model}:generateContent",
  ),
  caches: both(
    "不提供显式缓存 (cachedContents);相同的提示词开头由供应商自动缓存,请直接发送完整内容",
    "explicit caching (cachedContents) is not supported: send the whole content; vendors cache repeated beginnings automatically",
  ),
  longPredictions: both(
    "视频请用 /v1/videos 或 /v1/videos/generations",
    "for videos use /v1/videos or /v1/videos/generations",
  ),
  vendorsOwn: both(
    "该接口管理的是供应商自己的资源,网关不提供",
    "this endpoint manages a vendor's own resources and is not served here",
  ),
};
