/**
 * Endpoints as tables of handlers by method: the function that makes a table, and the tables of videos, conversations
 * and balances.
 */

import type { EndpointName } from "@/server/base/enums";
import { GatewayError } from "@/server/base/errors";
import type { Reply } from "@/server/base/reply";
import { type BalanceForm, tellBalance } from "../balance";
import { conversationEndpoints } from "../responses/stored-conversations";
import {
  createVideo,
  deleteVideo,
  listVideos,
  refuseEdit,
  retrieveVideo,
  videoFile,
} from "../videos/openai-videos";
import { isSignedContentCall, ownVideoContent, signedVideoContent } from "../videos/video-content";
import { submitVideo, videoStatus } from "../videos/videos";
import type { AuthedCall } from "./call";
import { type EndpointDeps, endpoint, type Handler } from "./endpoint";
import type { GatewayDeps } from "./paid-call";
import { refuseUnserved, refuseWebsocket } from "./unknown-path";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Methods = Record<(typeof methods)[number], Handler>;

type EndpointTableDeps = EndpointDeps & GatewayDeps;

/** Every method answers in the envelope; methods without a handler answer 405. */
export const createTable =
  (deps: EndpointDeps) =>
  (name: EndpointName | "models", handlers: Partial<Methods>): Methods => {
    const allowed = Object.keys(handlers).join(", ");
    const refuse = endpoint(deps, {
      name,
      access: "open",
      run: ({ request }) => {
        refuseWebsocket(request);
        refuseUnserved(request);
        throw new GatewayError("methodNotAllowed", request.method, { headers: { allow: allowed } });
      },
    });
    return Object.fromEntries(methods.map((method) => [method, handlers[method] ?? refuse])) as Methods;
  };

export function videoTables(deps: EndpointTableDeps) {
  const table = createTable(deps);
  const content = "videos.content";
  const ownContent = endpoint(deps, { name: content, access: "key", run: ownVideoContent(deps) });
  const signedContent = endpoint(deps, { name: content, access: "open", run: signedVideoContent(deps) });
  return {
    videoTasks: table("videos.submit", {
      POST: endpoint(deps, {
        name: "videos.submit",
        access: "key",
        limit: (caller) => deps.access.limitVideos(caller, "submit"),
        run: submitVideo(deps),
      }),
    }),
    videoTask: table("videos.status", {
      GET: endpoint(deps, {
        name: "videos.status",
        access: "key",
        limit: (caller) => deps.access.limitVideos(caller, "status"),
        run: videoStatus(deps),
      }),
    }),
    videoContent: table(content, {
      GET: (request, peer, as) =>
        isSignedContentCall(request) ? signedContent(request, peer) : ownContent(request, peer, as),
    }),
  };
}

/** OpenAI's API for the same tasks. Its calls count towards the same limits. */
export function openaiVideoTables(deps: EndpointTableDeps) {
  const table = createTable(deps);
  const keyed = (
    name: EndpointName,
    run: (call: AuthedCall) => Promise<Reply>,
    kind: "submit" | "status" | null,
  ): Handler =>
    endpoint(deps, {
      name,
      access: "key",
      ...(kind && { limit: (caller) => deps.access.limitVideos(caller, kind) }),
      run,
    });
  const refused = keyed("openai_videos.create", refuseEdit, null);
  return {
    videos: table("openai_videos.list", {
      POST: keyed("openai_videos.create", createVideo(deps), "submit"),
      GET: keyed("openai_videos.list", listVideos(deps), "status"),
    }),
    video: table("openai_videos.retrieve", {
      GET: keyed("openai_videos.retrieve", retrieveVideo(deps), "status"),
      DELETE: keyed("openai_videos.delete", deleteVideo(deps), "status"),
      // `/v1/videos/edits` and the like, which this route takes for a video's id.
      POST: refused,
    }),
    videoFile: table("openai_videos.content", {
      GET: keyed("openai_videos.content", videoFile(deps), null),
    }),
    videoRemix: table("openai_videos.create", { POST: refused }),
  };
}

/** Conversations, and the items in them. */
export function conversationTables(deps: EndpointTableDeps) {
  const table = createTable(deps);
  const name = "conversations";
  const tableOf = (runs: Partial<Record<keyof Methods, (call: AuthedCall) => Promise<Reply>>>) =>
    table(
      name,
      Object.fromEntries(
        Object.entries(runs).map(([method, run]) => [method, endpoint(deps, { name, access: "key", run })]),
      ),
    );
  const { conversations, conversation, conversationItems, conversationItem } = conversationEndpoints(deps);
  return {
    conversations: tableOf(conversations),
    conversation: tableOf(conversation),
    conversationItems: tableOf(conversationItems),
    conversationItem: tableOf(conversationItem),
  };
}

/** A key's balance, for its holder. */
export function balanceTables(deps: EndpointTableDeps): Record<BalanceForm, Methods> {
  const table = createTable(deps);
  const tableOf = (form: BalanceForm) =>
    table("balance", {
      GET: endpoint(deps, { name: "balance", access: "key", run: tellBalance(deps, form) }),
    });
  return {
    usage: tableOf("usage"),
    credits: tableOf("credits"),
    key: tableOf("key"),
    subscription: tableOf("subscription"),
    spent: tableOf("spent"),
  };
}
