import type { ErrorKind } from "@/server/base/errors";
import {
  after,
  buys,
  type DocumentedOperation,
  type DocumentedResponse,
  EVENTS,
  idOf,
  limit,
  order,
  type Parameter,
  reads,
} from "./operation";
import { both } from "./texts";

const SOUND = "audio/*";
const FILM = "video/*";

export const forwardedOperations: DocumentedOperation[] = [
  buys({
    id: "createEmbeddings",
    path: "/v1/embeddings",
    tag: "embeddings",
    summary: both("把文本转换为向量", "Create embeddings"),
    json: "EmbeddingsRequest",
    answers: [{ status: 200, schema: "Embeddings" }],
  }),
  buys({
    id: "createImages",
    path: "/v1/images/generations",
    tag: "media",
    summary: both("生成图片", "Generate images"),
    json: "ImageRequest",
    answers: [{ status: 200, schema: "Images", types: [EVENTS] }],
  }),
  buys({
    id: "editImages",
    path: "/v1/images/edits",
    tag: "media",
    summary: both("编辑图片", "Edit images"),
    json: "ImageEditRequest",
    form: "ImageEditForm",
    answers: [{ status: 200, schema: "Images", types: [EVENTS] }],
  }),
  buys({
    id: "createSpeech",
    path: "/v1/audio/speech",
    tag: "media",
    summary: both("文本转语音", "Create speech from text"),
    json: "SpeechRequest",
    answers: [{ status: 200, types: [SOUND] }],
  }),
  buys({
    id: "createTranscription",
    path: "/v1/audio/transcriptions",
    tag: "media",
    summary: both("语音转文本", "Transcribe audio"),
    form: "TranscriptionForm",
    answers: [{ status: 200, schema: "Transcript", types: ["text/plain", EVENTS] }],
  }),
  buys({
    id: "createTranslation",
    path: "/v1/audio/translations",
    tag: "media",
    summary: both("把语音翻译成英文文本", "Translate audio into English text"),
    form: "TranslationForm",
    answers: [{ status: 200, schema: "Transcript", types: ["text/plain"] }],
  }),
  buys({
    id: "rerank",
    path: "/v1/rerank",
    tag: "media",
    summary: both("按与问题的相关度排序文档", "Rank documents by relevance to a query"),
    json: "RerankRequest",
    answers: [{ status: 200, schema: "Rerank" }],
  }),
  buys({
    id: "createModeration",
    path: "/v1/moderations",
    tag: "media",
    summary: both("内容审核", "Check whether content is harmful"),
    json: "ModerationRequest",
    answers: [{ status: 200, schema: "Moderation" }],
  }),
];

const video = ["taskForbidden", "unknownTask", "unknownPath"] as const satisfies ErrorKind[];
const ordered = ["unpricedVideo", "noVideoChannel"] as const satisfies ErrorKind[];
const film = [
  "noVideoFile",
  "rangeNotSatisfiable",
  "upstreamsUnavailable",
  "upstreamBusy",
] as const satisfies ErrorKind[];
const filmAnswers: DocumentedResponse[] = [
  { status: 200, types: [FILM] },
  { status: 206, types: [FILM] },
  { status: 302 },
];
const range: Parameter = { name: "Range", in: "header" };

export const videos: DocumentedOperation[] = [
  buys({
    id: "submitVideoTask",
    path: "/v1/videos/generations",
    tag: "videos",
    summary: both("提交视频任务", "Submit a video task"),
    json: "VideoTaskRequest",
    answers: [{ status: 202, schema: "VideoSubmission" }],
    refusals: ordered,
  }),
  reads({
    id: "getVideoTask",
    method: "get",
    path: "/v1/videos/generations/{task_id}",
    tag: "videos",
    summary: both("查询视频任务", "Show a video task"),
    parameters: [idOf("task_id")],
    answers: [{ status: 200, schema: "VideoTask" }],
    refusals: video,
  }),
  reads({
    id: "getVideoTaskContent",
    method: "get",
    path: "/v1/videos/generations/{task_id}/content",
    tag: "videos",
    summary: both("下载视频文件", "Download the video file of a task"),
    parameters: [idOf("task_id"), range],
    answers: filmAnswers,
    refusals: [...video, ...film],
  }),
  buys({
    id: "createVideo",
    path: "/v1/videos",
    tag: "videos",
    summary: both("创建视频（OpenAI 格式）", "Create a video (OpenAI format)"),
    json: "VideoRequest",
    form: "VideoRequest",
    answers: [{ status: 200, schema: "Video" }],
    refusals: ordered,
  }),
  reads({
    id: "listVideos",
    method: "get",
    path: "/v1/videos",
    tag: "videos",
    summary: both("列出视频", "List videos"),
    parameters: [limit, order, after],
    answers: [{ status: 200, schema: "VideoList" }],
    refusals: ["invalidParameters", "unknownTask"],
  }),
  reads({
    id: "getVideo",
    method: "get",
    path: "/v1/videos/{video_id}",
    tag: "videos",
    summary: both("查询视频", "Show a video"),
    parameters: [idOf("video_id")],
    answers: [{ status: 200, schema: "Video" }],
    refusals: video,
  }),
  reads({
    id: "deleteVideo",
    method: "delete",
    path: "/v1/videos/{video_id}",
    tag: "videos",
    summary: both("取消或删除视频", "Cancel or delete a video"),
    parameters: [idOf("video_id")],
    answers: [{ status: 200, schema: "DeletedVideo" }],
    refusals: [...video, "videoInProgress"],
  }),
  reads({
    id: "getVideoContent",
    method: "get",
    path: "/v1/videos/{video_id}/content",
    tag: "videos",
    summary: both("下载视频文件（OpenAI 格式）", "Download a video file (OpenAI format)"),
    parameters: [idOf("video_id"), { name: "variant", in: "query", values: ["video"] }, range],
    answers: filmAnswers,
    refusals: [...video, ...film, "invalidParameters"],
  }),
  reads({
    id: "remixVideo",
    method: "post",
    path: "/v1/videos/{video_id}/remix",
    tag: "videos",
    summary: both("不支持，总是返回 400", "Not supported: always returns 400"),
    parameters: [idOf("video_id")],
    answers: [],
    refusals: ["invalidParameters", "unknownPath"],
  }),
];
