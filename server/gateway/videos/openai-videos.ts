/**
 * OpenAI's API for the video tasks: `/v1/videos`. The tasks, their money and their identifiers are those of spec 4.5.
 */

import { z } from "zod";
import type { ClientRequest } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { jsonReply, type Reply } from "@/server/base/reply";
import { parseOpenaiVideoForm } from "@/server/protocol/videos/openai-request";
import { isUnderWay, openaiVideo } from "@/server/protocol/videos/openai-view";
import { placeOf, type TaskView } from "@/server/videos";
import { readCall, readSent } from "../body/body";
import type { AuthedCall } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { openaiVideosKind } from "../pipeline/request-kinds";
import { ownVideoContent } from "./video-content";
import { findOwnTask, getOwnTask, orderVideo, parseTaskId } from "./videos";

type CallHandler = (call: AuthedCall) => Promise<Reply>;

const languageFor = ({ request }: AuthedCall) => languageOf(request.headers.get("accept-language"));

/** A task in OpenAI's form, and a header with the time until the next look: SDKs that wait for a video read it. */
function videoReply({ videoPollMs }: GatewayDeps, call: AuthedCall, task: TaskView): Reply {
  const reply = jsonReply(200, openaiVideo(task, languageFor(call)));
  return isUnderWay(task)
    ? { ...reply, headers: { ...reply.headers, "openai-poll-after-ms": String(videoPollMs) } }
    : reply;
}

/** POST /v1/videos: as 4.5, in JSON or as a form. */
export const createVideo =
  (deps: GatewayDeps): CallHandler =>
  async (call) => {
    const content = await readSent(call, "maybe");
    const request = content.form
      ? parseOpenaiVideoForm(content.form)
      : (await readCall({ ...call, ...content }, openaiVideosKind)).facts;
    const { task, headers } = await orderVideo(deps, call, request);
    const reply = videoReply(deps, call, task);
    return { ...reply, headers: { ...reply.headers, ...headers } };
  };

/** GET /v1/videos/:id: as 4.6. */
export const getVideo =
  (deps: GatewayDeps): CallHandler =>
  async (call) =>
    videoReply(deps, call, await getOwnTask(deps, call));

const ListQuery = z.object({
  after: z.string().max(100).nullable(),
  limit: z.coerce.number().int().min(1).max(100),
  order: z.enum(["asc", "desc"]),
});

function readListQuery({ url }: ClientRequest): z.infer<typeof ListQuery> {
  const { searchParams } = new URL(url);
  const parsed = ListQuery.safeParse({
    after: searchParams.get("after"),
    limit: searchParams.get("limit") ?? 20,
    order: searchParams.get("order") ?? "desc",
  });
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]);
    const explained = {
      limit: errorMessages.mustBeInteger("limit", { min: 1, max: 100 }),
      order: errorMessages.mustBeOneOf("order", ["asc", "desc"]),
    }[name];
    throw new GatewayError("invalidParameters", explained ?? errorMessages.invalid(name));
  }
  return parsed.data;
}

/** GET /v1/videos: the account's tasks as they are stored. Throws 404 if `after` is none of them. */
export const listVideos =
  (deps: GatewayDeps): CallHandler =>
  async (call) => {
    const { after, limit, order } = readListQuery(call.request);
    const { accountId } = call.caller;
    const last = after === null ? null : await deps.videos.find(parseTaskId(after));
    if (after !== null && last?.accountId !== accountId) {
      throw new GatewayError("unknownTask");
    }
    const { rows, nextCursor } = await deps.videos.list(
      { accountId, isKept: true },
      { limit, cursor: last ? placeOf(last) : undefined, isOldestFirst: order === "asc" },
    );
    const data = rows.map((task) => openaiVideo(task, languageFor(call)));
    return jsonReply(200, {
      object: "list",
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: nextCursor !== null,
    });
  };

/**
 * DELETE /v1/videos/:id: erases a task that has ended. Cancels a task under way first, if its vendor can; throws
 * videoInProgress if it cannot.
 */
export const deleteVideo =
  ({ videos }: GatewayDeps): CallHandler =>
  async (call) => {
    const task = await findOwnTask({ videos }, call);
    const mine = { taskId: task.id, accountId: task.accountId };
    if (isUnderWay(task)) {
      await videos.cancel(task.id, task.accountId);
    }
    if (!(await videos.erase(mine))) {
      throw new GatewayError("videoInProgress");
    }
    return jsonReply(200, { id: task.id, object: "video.deleted", deleted: true });
  };

/** GET /v1/videos/:id/content: as 4.8. The gateway has none of the files that OpenAI derives from a video. */
export const getVideoContent = (deps: GatewayDeps): CallHandler => {
  const content = ownVideoContent(deps);
  return async (call) => {
    const variant = new URL(call.request.url).searchParams.get("variant") ?? "video";
    if (variant !== "video") {
      throw new GatewayError("invalidParameters", errorMessages.mustBeOneOf("variant", ["video"]));
    }
    return await content(call);
  };
};

/**
 * Refuses POST for changes of an existing video: edits, extensions, characters, remix. No upstream is asked for them.
 */
export const refuseEdit: CallHandler = async ({ request }) => {
  const name = new URL(request.url).pathname.replace(/\/$/, "").split("/").at(-1) ?? "";
  throw new GatewayError("invalidParameters", errorMessages.noVideoEdits(name.slice(0, 64)));
};
