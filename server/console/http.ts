import type { TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { BUILD_HEADER } from "@/server/domain/enums";
import { newId } from "@/server/domain/ids";
import type { Runtime } from "@/server/runtime/runtime";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { buildId } from "./build";
import { contextOf } from "./context";
import { isJson, isOwnSite } from "./request";
import { appRouter } from "./root";
import type { Context } from "./trpc";

/** More calls than any page makes at once. Each call of a batch costs as much as a single one. */
const MAX_BATCH = 50;

type Failed = { error: TRPCError; path: string | undefined; requestId: string };

/** Logs errors whose cause clients are not shown. */
export function noteFailure({ log }: Runtime, { error, path, requestId }: Failed): void {
  if (error.code === "INTERNAL_SERVER_ERROR") {
    log.error({ err: error.cause ?? error, path, requestId }, "console call failed");
  }
}

type Serving = { runtime: Runtime; createContext: (requestId: string) => Promise<Context> };

/**
 * Answers calls of the console's procedures. Another site can make a browser send a form with our cookie, but not JSON:
 * that needs a preflight, which is never answered. So only JSON may change anything, and if the browser names the site
 * of the request, only our own pages are answered.
 */
export async function serveProcedures(
  { runtime, createContext }: Serving,
  request: Request,
): Promise<Response> {
  if (!isOwnSite(request.headers)) {
    return new Response("Only pages of this console are answered", { status: 403 });
  }
  if (request.method !== "GET" && !isJson(request.headers)) {
    return new Response("Content-Type must be application/json", { status: 415 });
  }
  const requestId = newId("req");
  return await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    createContext: () => createContext(requestId),
    responseMeta: () => ({
      headers: { "x-request-id": requestId, "cache-control": "no-store", [BUILD_HEADER]: buildId() },
    }),
    onError: ({ error, path }) => noteFailure(runtime, { error, path, requestId }),
  });
}

/** `/api/trpc/*`. */
export async function answerTrpc(request: Request): Promise<Response> {
  const runtime = await getRuntime();
  const createContext = (requestId: string) => contextOf(runtime, request.headers, requestId);
  return await serveProcedures({ runtime, createContext }, request);
}
