import { createHash } from "node:crypto";
import { z } from "zod";
import { GatewayError } from "@/server/base/errors";
import type { TaskId } from "@/server/base/ids";
import { languageOf } from "@/server/base/language";
import { formatMoney } from "@/server/base/money";
import { jsonReply, type Reply } from "@/server/base/reply";
import { signContentPath } from "@/server/base/video-links";
import { REPLAYED, readIdempotencyKey } from "@/server/protocol/idempotency-key";
import { statusView, submissionView } from "@/server/protocol/videos/view";
import type { TaskView } from "@/server/videos";
import { readCall } from "./body";
import { type AuthedCall, nameModel } from "./call";
import type { GatewayDeps } from "./paid-call";
import { videosKind } from "./request-kinds";

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

/**
 * POST /v1/videos/generations (spec 4.5): 202 with the price frozen. Goes on when the client hangs up, for nobody
 * could tell whether the upstream has taken the task by then.
 */
export function submitVideo({ videos }: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { request, caller, facts } = call;
    const { known } = await readCall(call, videosKind);
    const { canonical, model, ...wanted } = known;
    const key = readIdempotencyKey(request.headers);
    nameModel(call, model);
    const order = {
      ...wanted,
      modelId: model,
      accountId: caller.accountId,
      keyId: caller.keyId,
      keyCap: caller.monthlyCap,
      idempotency: key === null ? null : { key, bodyHash: sha256(canonical) },
    };
    // Before the task goes to an upstream: a call that comes to nothing there has had its money frozen, and returned.
    let isFirst = false;
    const note = ({ id, channelId, price }: TaskView) =>
      Object.assign(facts, { taskId: id, channelId, frozen: formatMoney(price) });
    const task = await videos.submit(order, (frozen) => {
      isFirst = true;
      note(frozen);
    });
    note(task);
    const reply = jsonReply(202, submissionView(task));
    return isFirst ? reply : { ...reply, headers: { ...reply.headers, ...REPLAYED } };
  };
}

const PathTaskId = z
  .string()
  .regex(/^\w{1,64}$/)
  .brand<"TaskId">();

/** The task that a path names. Throws 404 for what is no identifier of ours without asking the database. */
export function taskIdOf(request: Request): TaskId {
  const [, named] = /^\/v1\/videos\/generations\/([^/]*)/.exec(new URL(request.url).pathname) ?? [];
  const id = PathTaskId.safeParse(named);
  if (!id.success) {
    throw new GatewayError("unknownTask");
  }
  return id.data;
}

/** The caller's account's task of a path. Throws the 404 and the 403 of spec 4.6. */
export async function getOwnTask(
  { videos }: GatewayDeps,
  { request, caller, facts }: AuthedCall,
): Promise<TaskView> {
  const task = await videos.status(taskIdOf(request), caller.accountId);
  if (!task) {
    throw new GatewayError("unknownTask");
  }
  facts.taskId = task.id;
  if (task.accountId !== caller.accountId) {
    throw new GatewayError("taskForbidden");
  }
  return task;
}

/** Where the client reaches us: as configured, else as it says itself. */
function originOf({ publicUrl }: GatewayDeps, request: Request): string {
  const host = request.headers.get("host");
  return publicUrl ?? (host ? `http://${host}` : new URL(request.url).origin);
}

/** GET /v1/videos/generations/:taskId (spec 4.6). */
export function videoStatus(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
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
