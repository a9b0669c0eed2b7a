import type { ErrorKind } from "@/server/base/errors";
import { both } from "@/server/base/language";
import { shownTaskStates } from "@/server/domain/enums";
import { videoSchema } from "@/server/protocol/videos/openai-request";
import { videoTaskSchema } from "@/server/protocol/videos/request";
import { knownSizes } from "@/server/protocol/videos/sizes";
import {
  after,
  type DocumentedResponse,
  idOf,
  limit,
  order,
  orders,
  type Parameter,
  reads,
} from "./endpoint";
import { constant, deleted, integer, moment, number, object, oneOf, orNull, page, text } from "./schema";

const FILM = "video/*";

const progress = { type: "integer", minimum: 0, maximum: 100 };
const failure = object({ code: text, message: text });

const VideoSubmission = object({
  ...{ id: text, model: text, status: constant("processing"), created_at: moment },
});

const VideoTask = object(
  {
    ...{ id: text, model: text, status: oneOf(...shownTaskStates), progress },
    ...{ created_at: moment, completed_at: orNull(moment), video_url: text },
    ...{ usage: object({ total_cost: number }), error: failure },
  },
  ["video_url", "usage", "error"],
);

const Video = object({
  ...{ id: text, object: constant("video"), created_at: integer },
  status: oneOf("queued", "in_progress", "completed", "failed"),
  ...{ completed_at: orNull(integer), error: orNull(failure), expires_at: { type: "null" } },
  ...{ model: text, progress, prompt: orNull(text), remixed_from_video_id: { type: "null" } },
  ...{ seconds: text, size: oneOf(...knownSizes) },
});

const unknown = ["taskForbidden", "unknownTask", "unknownPath"] as const satisfies ErrorKind[];
const unsold = ["unpricedVideo", "noVideoChannel"] as const satisfies ErrorKind[];
const noFilm = [
  "noVideoFile",
  "rangeNotSatisfiable",
  "upstreamsUnavailable",
  "upstreamBusy",
] as const satisfies ErrorKind[];
const film: readonly DocumentedResponse[] = [
  { status: 200, types: [FILM] },
  { status: 206, types: [FILM] },
  { status: 302 },
];
const range: Parameter = { name: "Range", in: "header" };

const tasks = { path: "/v1/videos/generations", tag: "videos" } as const;
const task = { tag: "videos", parameters: [idOf("task_id")] } as const;
const video = { path: "/v1/videos/{video_id}", tag: "videos", parameters: [idOf("video_id")] } as const;
const videoAnswer = { name: "Video", schema: Video };
const create = { name: "openai_videos.create", label: "POST /v1/videos" } as const;

/** Tasks that make a video (spec 4.5 to 4.8). */
const videoTasks = [
  orders({
    ...tasks,
    id: "submitVideoTask",
    name: "videos.submit",
    label: "POST /v1/videos/generations",
    limit: "submit",
    summary: both("提交视频任务", "Submit a video task"),
    json: { name: "VideoTaskRequest", schema: videoTaskSchema },
    answers: [{ status: 202, schema: { name: "VideoSubmission", schema: VideoSubmission } }],
    refusals: unsold,
  }),
  reads({
    ...task,
    id: "getVideoTask",
    name: "videos.status",
    label: "GET /v1/videos/generations/{id}",
    method: "get",
    path: `${tasks.path}/{task_id}`,
    limit: "status",
    summary: both("查询视频任务", "Show a video task"),
    answers: [{ status: 200, schema: { name: "VideoTask", schema: VideoTask } }],
    refusals: unknown,
  }),
  reads({
    ...task,
    id: "getVideoTaskContent",
    name: "videos.content",
    label: "GET /v1/videos/generations/{id}/content",
    method: "get",
    path: `${tasks.path}/{task_id}/content`,
    summary: both("下载视频文件", "Download the video file of a task"),
    parameters: [...task.parameters, range],
    answers: film,
    refusals: [...unknown, ...noFilm],
  }),
] as const;

/** OpenAI's API for the same tasks. Its calls count towards the same limits. */
const openaiVideos = [
  orders({
    ...create,
    id: "createVideo",
    path: "/v1/videos",
    limit: "submit",
    tag: "videos",
    summary: both("创建视频（OpenAI 格式）", "Create a video (OpenAI format)"),
    json: { name: "VideoRequest", schema: videoSchema },
    form: { name: "VideoRequest", schema: videoSchema },
    answers: [{ status: 200, schema: videoAnswer }],
    refusals: unsold,
  }),
  reads({
    id: "listVideos",
    name: "openai_videos.list",
    label: "GET /v1/videos",
    method: "get",
    path: "/v1/videos",
    limit: "status",
    tag: "videos",
    summary: both("列出视频", "List videos"),
    parameters: [limit, order, after],
    answers: [{ status: 200, schema: { name: "VideoList", schema: page(Video) } }],
    refusals: ["invalidParameters", "unknownTask"],
  }),
  reads({
    ...video,
    id: "getVideo",
    name: "openai_videos.retrieve",
    label: "GET /v1/videos/{id}",
    method: "get",
    limit: "status",
    summary: both("查询视频", "Show a video"),
    answers: [{ status: 200, schema: videoAnswer }],
    refusals: unknown,
  }),
  reads({
    ...video,
    id: "deleteVideo",
    name: "openai_videos.delete",
    label: "DELETE /v1/videos/{id}",
    method: "delete",
    limit: "status",
    summary: both("取消或删除视频", "Cancel or delete a video"),
    answers: [{ status: 200, schema: { name: "DeletedVideo", schema: deleted("video.deleted") } }],
    refusals: [...unknown, "videoInProgress"],
  }),
  reads({
    ...video,
    id: "getVideoContent",
    name: "openai_videos.content",
    label: "GET /v1/videos/{id}/content",
    method: "get",
    path: `${video.path}/content`,
    summary: both("下载视频文件（OpenAI 格式）", "Download a video file (OpenAI format)"),
    parameters: [...video.parameters, { name: "variant", in: "query", values: ["video"] }, range],
    answers: film,
    refusals: [...unknown, ...noFilm, "invalidParameters"],
  }),
  reads({
    ...video,
    ...create,
    id: "remixVideo",
    method: "post",
    path: `${video.path}/remix`,
    summary: both("不支持，总是返回 400", "Not supported: always returns 400"),
    answers: [],
    refusals: ["invalidParameters", "unknownPath"],
  }),
  // `/v1/videos/edits` and the like, which the path takes for a video's id.
  reads({
    ...video,
    ...create,
    id: "editVideo",
    method: "post",
    isHidden: true,
    summary: both("不支持，总是返回 400", "Not supported: always returns 400"),
    answers: [],
    refusals: ["invalidParameters", "unknownPath"],
  }),
] as const;

export const videos = [...videoTasks, ...openaiVideos] as const;
