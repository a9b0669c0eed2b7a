/** The meaning of members, by name; if it differs in one operation, by `<schema>.<name>`. */
import { both, type Texts } from "@/server/base/language";
import { scalarEntries } from "@/server/protocol/scalar-members";

const texts: Record<string, Texts> = {
  model: both("模型 ID，见模型列表", "The model ID, as in the list of models"),
  messages: both(
    "完整的对话，按时间先后。每一项有 role 和 content",
    "The whole conversation, oldest first. Each message has a role and content",
  ),
  stream: both(
    "为 true 时以事件流返回，默认 false",
    "true: the response is streamed as events. Default: false",
  ),
  stream_options: both(
    "include_usage 为 true 时，流的最后一块带有用量",
    "With include_usage, the last chunk of a stream contains the usage",
  ),
  instances: both("要画什么：一项，带有 prompt", "What to generate: one item with a prompt"),
  parameters: both("张数与宽高比", "Number and aspect ratio of the images"),
  max_tokens: both(
    "最多输出多少 Token，思考也计算在内；思考模型建议不低于 4096",
    "Maximum output tokens, including reasoning; 4096 or more is recommended for reasoning models",
  ),
  max_completion_tokens: both(
    "max_tokens 的新名称；两者都给出时以较大者为准",
    "The newer name of max_tokens; if both are given, the larger applies",
  ),
  max_output_tokens: both("最多输出多少 Token，思考也计算在内", "Maximum output tokens, including reasoning"),
  tools: both("模型可以调用的工具", "Tools that the model can call"),
  tool_choice: both("是否必须调用、调用哪个工具", "Whether a tool must be called, and which one"),
  parallel_tool_calls: both("是否允许一次调用多个工具", "Whether several tools can be called at once"),
  response_format: both("要求的输出格式", "The output format"),
  reasoning_effort: both("思考强度", "Reasoning effort"),
  reasoning: both("思考设置", "Reasoning settings"),
  thinking: both("思考设置", "Reasoning settings"),
  output_config: both("输出格式与思考强度", "Output format and reasoning effort"),
  text: both("输出文本的格式", "Format of the output text"),
  usage: both(
    '{"include": true}：在用量中返回本次费用 usage.cost',
    '{"include": true}: the usage includes the cost of the request (usage.cost)',
  ),
  system: both("系统提示词，字符串或文本块数组", "The system prompt: a string or an array of text blocks"),
  prompt: both("提示词", "The prompt"),
  "CompletionRequest.prompt": both(
    "要接着写下去的文本，或文本数组，每个文本各得 n 个结果",
    "The text to continue, or an array of texts; n results for each",
  ),
  partial_images: both(
    "流式时每张图片完成前先返回几张半成品，0 到 3",
    "Number of partial images sent before each image in a stream, 0 to 3",
  ),
  suffix: both("接在结果之后的文本", "The text after the result"),
  "TranscriptionForm.prompt": both(
    "给模型的提示，最多 32,000 字符",
    "A prompt for the model, at most 32,000 characters",
  ),
  "TranslationForm.prompt": both(
    "给模型的提示，最多 32,000 字符",
    "A prompt for the model, at most 32,000 characters",
  ),
  "VideoTaskRequest.prompt": both(
    "视频内容，最多 2000 字符",
    "Description of the video, at most 2000 characters",
  ),
  "VideoRequest.prompt": both(
    "视频内容，最多 2000 字符",
    "Description of the video, at most 2000 characters",
  ),
  input: both("输入", "The input"),
  "ResponsesRequest.input": both(
    "用户的文本，或条目数组；没有 previous_response_id 和 conversation 时必填",
    "The user's text, or an array of items; required without previous_response_id and conversation",
  ),
  "EmbeddingsRequest.input": both(
    "一段或多段文本（最多 2,048 段），也可以是 Token 数组",
    "One or up to 2,048 texts, or arrays of tokens",
  ),
  "SpeechRequest.input": both("要朗读的文本", "The text to speak"),
  "ModerationRequest.input": both("要审核的内容", "The content to check"),
  instructions: both("只对本次调用生效的系统提示词", "System prompt for this request only"),
  previous_response_id: both("接着哪个响应继续对话", "The response to continue"),
  conversation: both(
    "所属对话的 id：先读取其全部条目，完成后把本次输入和输出加入其中",
    "The conversation ID: its items are read first, and this input and output are added to it",
  ),
  items: both("条目数组，一次最多 20 项", "Items, at most 20 per request"),
  "ConversationRequest.metadata": both(
    "随对话保存的键值，最多 16 项",
    "Up to 16 key-value pairs stored with the conversation",
  ),
  "ResponsesRequest.metadata": both(
    "随响应返回的键值，最多 16 项",
    "Up to 16 key-value pairs returned with the response",
  ),
  "MessagesRequest.metadata": both("user_id：最终用户的标识", "user_id: an identifier of the end user"),
  "ConversationUpdate.metadata": both(
    "随对话保存的键值，最多 16 项",
    "Up to 16 key-value pairs stored with the conversation",
  ),
  store: both("是否保存响应，默认 true", "Whether to store the response. Default: true"),
  background: both("为 true 时在后台运行，立即返回", "true: runs in the background and returns immediately"),
  encoding_format: both("float（默认）或 base64", "float (default) or base64"),
  dimensions: both("向量长度，取决于模型", "Length of the vectors, if the model supports it"),
  size: both("图片尺寸", "Image size"),
  "VideoRequest.size": both("视频的像素尺寸，默认 720p", "Video size in pixels. Default: 720p"),
  quality: both("图片质量", "Image quality"),
  image: both("原图，一张或多张", "One or more input images"),
  images: both("原图，一张或多张", "One or more input images"),
  mask: both("要改动的区域", "The area to edit"),
  voice: both("音色，由上游决定有哪些", "A voice offered by the upstream"),
  query: both("问题", "The query"),
  documents: both("要排序的文档，最多 1,000 个", "The documents, at most 1,000"),
  top_n: both("只返回最相关的几个", "Number of top results to return"),
  file: both("音频文件", "The audio file"),
  "TranscriptionForm.response_format": both(
    "json（默认）、text、srt、vtt、verbose_json，以及上游支持的其他格式",
    "json (default), text, srt, vtt, verbose_json, and other formats that the upstream supports",
  ),
  "TranslationForm.response_format": both(
    "json（默认）、text、srt、vtt、verbose_json，以及上游支持的其他格式",
    "json (default), text, srt, vtt, verbose_json, and other formats that the upstream supports",
  ),
  "SpeechRequest.response_format": both("音频格式", "Audio format"),
  language: both("音频的语言", "The language of the audio"),
  duration: both("时长（秒），默认 5", "Duration in seconds. Default: 5"),
  resolution: both("分辨率，默认 720p", "Resolution. Default: 720p"),
  aspect_ratio: both("画面比例", "Aspect ratio"),
  seconds: both(
    "时长（秒），任何有定价的整数，默认 5",
    "Duration in seconds: any whole number with a price. Default: 5",
  ),
  contents: both("完整的对话", "The whole conversation"),
  systemInstruction: both("系统提示词", "The system prompt"),
  toolConfig: both("是否必须调用工具", "Whether a tool must be called"),
  generationConfig: both(
    "温度、输出上限、思考等设置",
    "Temperature, output limit, reasoning and other settings",
  ),
  generateContentRequest: both("要估算的完整请求", "A whole request to count"),
  content: both("要转换的内容", "The content to embed"),
  outputDimensionality: both("向量长度", "Length of the vector"),
  requests: both("多个 embedContent 请求", "Several embedContent requests"),
  limit: both("每页多少条", "Number of items per page"),
  order: both("asc 从旧到新，desc 从新到旧", "asc: oldest first; desc: newest first"),
  after: both("上一页最后一条的 ID", "The last ID of the previous page"),
  task_id: both("任务 ID", "The task ID"),
  video_id: both("视频 ID，与任务 ID 相同", "The video ID, same as the task ID"),
  response_id: both("响应 ID", "The response ID"),
  conversation_id: both("对话 ID", "The conversation ID"),
  item_id: both("条目 ID", "The item ID"),
  variant: both("只有 video", "Always video"),
  Range: both("只取文件的一部分", "The part of the file to return"),
  "Idempotency-Key": both(
    "1 到 255 个可打印 ASCII 字符；24 小时内用同一个值重试不会重复购买",
    "1 to 255 printable ASCII characters: a repeated request with the same key within 24 hours is not executed or charged again",
  ),
  "x-tollgate-ignored": both(
    "没有传给上游的请求参数，以逗号分隔",
    "Parameters of the request that were not passed on to the upstream, separated by commas",
  ),
  "anthropic-version": both("例如 2023-06-01", "For example, 2023-06-01"),
};

const scalarTexts = new Map(
  scalarEntries.flatMap(([, { names, text }]) =>
    Object.values(names)
      .flat()
      .map((name) => [name, text] as const),
  ),
);

/** `schema`: the name of the body that has the member, if any. */
export const memberText = (name: string, schema = ""): Texts | undefined =>
  [`${schema}.${name}`, name].flatMap(
    (key) => (Object.hasOwn(texts, key) ? texts[key] : undefined) ?? [],
  )[0] ?? scalarTexts.get(name);
