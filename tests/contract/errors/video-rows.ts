import { nanos } from "@/server/base/money";
import { refuseWith } from "@/tests/support/upstream";
import { invalid, type RefusalRow, refused, row } from "./row";
import { unavailable } from "./shared-rows";

export const videoPrices = [{ durationSeconds: 5, resolution: "720p", price: nanos(500_000_000n) }];

const unpriced = (message: RegExp) => refused(404, "video_not_priced", message);

const parameters: RefusalRow[] = [
  invalid("prompt missing", { prompt: undefined }, /prompt/),
  invalid("a priced combination that no upstream can make", { aspect_ratio: "1:1" }, /aspect_ratio/),
  row("a duration without a price", unpriced(/10.*720p/), { body: { duration: 10 } }),
];

/** Refusals of videos in spec sections 4.5, 4.6 and 7, in addition to the shared ones. */
export const videoRows: RefusalRow[] = [
  ...parameters,
  row("a model without a channel", refused(503, "no_video_channel", /视频渠道/), {
    model: (gateway) => gateway.model({ kind: "video", videoPrices }),
  }),
  row("a model whose channels make no videos", refused(503, "no_video_channel", /视频渠道/), {
    model: async (gateway) => {
      const model = await gateway.model({ kind: "video", videoPrices });
      await gateway.channel({ model, baseUrl: "http://127.0.0.1:1/v1" });
      return model;
    },
  }),
  ...[401, 402, 403, 404, 429, 503].map((status) =>
    row(`an upstream that says ${status}`, unavailable, { upstream: refuseWith(status) }),
  ),
  row("an upstream that is not there", unavailable, {
    model: async (gateway) => {
      const model = await gateway.model({ kind: "video", videoPrices });
      await gateway.channel({ model, dialect: "openai-video", baseUrl: "http://127.0.0.1:1/v1" });
      return model;
    },
  }),
  ...[400, 422].map((status) =>
    row(`an upstream that says ${status}`, refused(400, "upstream_rejected", "a field is bad"), {
      upstream: refuseWith(status, "a field is bad"),
    }),
  ),
  row("a task that is none", refused(404, "task_not_found", "视频任务不存在"), {
    path: `/v1/videos/generations/task_${"0".repeat(32)}`,
  }),
  row("a file that is none", refused(404, "task_not_found", "视频任务不存在"), {
    path: "/v1/videos/generations/nope/content",
  }),
  row("the status of a task without a key", refused(401, "missing_api_key", "缺少 API Key"), {
    path: "/v1/videos/generations/nope",
    key: () => ({}),
  }),
];

/** Refusals in spec 4.14, in addition to the shared ones. */
export const openaiVideoRows: RefusalRow[] = [
  invalid("prompt missing", { prompt: undefined }, /prompt/),
  invalid("a picture", { input_reference: { image_url: "https://x.test/a.png" } }, /input_reference/),
  invalid("a priced combination that no upstream can make", { size: "720x720" }, /aspect_ratio/),
  row("a size without a price", unpriced(/5.*1080p/), { body: { size: "1920x1080" } }),
  row("an upstream that says 429", unavailable, { upstream: refuseWith(429) }),
  row("the status of a task without a key", refused(401, "missing_api_key", "缺少 API Key"), {
    path: "/v1/videos/nope",
    key: () => ({}),
  }),
];
