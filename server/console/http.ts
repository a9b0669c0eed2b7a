import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { getRuntime } from "@/server/runtime";
import { appRouter } from "./root";
import { findViewer } from "./viewer";

/**
 * `/api/trpc/*`. Another site can make a browser post a form with our cookie, but not JSON: that needs a preflight, which
 * nobody answers. So nothing but JSON may change anything.
 */
export async function answerTrpc(request: Request): Promise<Response> {
  const [mediaType] = (request.headers.get("content-type") ?? "").split(";");
  if (request.method !== "GET" && mediaType?.trim().toLowerCase() !== "application/json") {
    return new Response("Content-Type must be application/json", { status: 415 });
  }
  const runtime = await getRuntime();
  return await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: async () => ({ runtime, viewer: await findViewer() }),
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR") {
        runtime.log.error({ err: error.cause ?? error, path }, "console call failed");
      }
    },
  });
}
