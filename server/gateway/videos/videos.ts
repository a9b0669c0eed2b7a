import { createHash } from "node:crypto";
import { z } from "zod";
import type { ClientRequest } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { formatMoney } from "@/server/base/money";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { TaskId } from "@/server/domain/ids";
import { signContentPath } from "@/server/domain/video-links";
import { REPLAYED, readIdempotencyKey } from "@/server/protocol/idempotency-key";
import type { VideoRequest } from "@/server/protocol/videos/request";
import { statusView, submissionView } from "@/server/protocol/videos/view";
import { isErased, type TaskView } from "@/server/videos";
import { readCall } from "../body/body";
import { type AuthedCall, nameModel } from "../pipeline/call";
import { buyerOf } from "../pipeline/freeze";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { videosKind } from "../pipeline/request-kinds";

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

/**
 * Orders a video and freezes its price. Continues when the client hangs up, because the upstream may have taken the
 * task by then. `headers`: mark a repeat's answer. Throws as `Videos.submit` does.
 */
export async function orderVideo(
  { videos }: Pick<GatewayDeps, "videos">,
  call: AuthedCall,
  { canonical, model, ...video }: VideoRequest,
): Promise<{ task: TaskView; headers: Record<string, string> }> {
  const { request, caller, logFields: facts } = call;
  const key = readIdempotencyKey(request.headers);
  nameModel(call, model);
  const order = {
    ...video,
    modelId: model,
    ...buyerOf(caller),
    priceGroupId: caller.account.priceGroupId,
    idempotency: key === null ? null : { key, bodyHash: sha256(canonical) },
  };
  // Noted before the task goes to an upstream: a call that fails there has also had its money frozen, and returned.
  let isFirst = false;
  const note = ({ id, channelId, price }: TaskView) =>
    Object.assign(facts, { taskId: id, channelId, frozen: formatMoney(price) });
  const task = await videos.submit(order, (frozen) => {
    isFirst = true;
    note(frozen);
  });
  note(task);
  return { task, headers: isFirst ? {} : REPLAYED };
}

/** POST /v1/videos/generations (spec 4.5): 202 with the price frozen. */
export function submitVideoTask(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { facts } = await readCall(call, videosKind);
    const { task, headers } = await orderVideo(deps, call, facts);
    const reply = jsonReply(202, submissionView(task));
    return { ...reply, headers: { ...reply.headers, ...headers } };
  };
}

const PathTaskId = z
  .string()
  .regex(/^\w{1,64}$/)
  .brand<"TaskId">();

/** Reads a task's identifier. Throws 404 for one of another form, without asking the database. */
export function parseTaskId(text: string | undefined): TaskId {
  const id = PathTaskId.safeParse(text);
  if (!id.success) {
    throw new GatewayError("unknownTask");
  }
  return id.data;
}

/** The task that a path of either API names. */
export const taskIdOf = ({ url }: ClientRequest): TaskId =>
  parseTaskId(/^\/v1\/videos\/(?:generations\/)?([^/]*)/.exec(new URL(url).pathname)?.[1]);

/** Returns the task if its reader may see it. Throws the 404 and the 403 of spec 4.6. */
function checkOwn(task: TaskView | null, { caller, logFields: facts }: AuthedCall): TaskView {
  if (!task || isErased(task)) {
    throw new GatewayError("unknownTask");
  }
  facts.taskId = task.id;
  if (task.accountId !== caller.accountId) {
    throw new GatewayError("taskForbidden");
  }
  return task;
}

type VideosDeps = Pick<GatewayDeps, "videos">;

/** The task of a path, with a fresh status, if it is the caller's account's. Throws the 404 and the 403 of spec 4.6. */
export const getOwnTask = async ({ videos }: VideosDeps, call: AuthedCall): Promise<TaskView> =>
  checkOwn(await videos.status(taskIdOf(call.request), call.caller.accountId), call);

/** The same task as it is stored. */
export const findOwnTask = async ({ videos }: VideosDeps, call: AuthedCall): Promise<TaskView> =>
  checkOwn(await videos.find(taskIdOf(call.request)), call);

/** The gateway's URL for the client: as configured, else from the request. */
function originOf({ publicUrl }: GatewayDeps, request: ClientRequest): string {
  const host = request.headers.get("host");
  return publicUrl ?? (host ? `http://${host}` : new URL(request.url).origin);
}

/** GET /v1/videos/generations/:taskId (spec 4.6). */
export function getVideoTask(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const task = await getOwnTask(deps, call);
    const deliver = () => ({
      videoUrl: task.videoUrl ?? originOf(deps, call.request) + signContentPath(deps, task.id),
      // A double holds 15 digits, and prints those of a price as they were written.
      totalCost: Number(formatMoney(task.price)),
    });
    return jsonReply(200, statusView(task, deliver, languageOf(call.request.headers.get("accept-language"))));
  };
}
