import { type TRPCLink, unstable_localLink } from "@trpc/client";
import { newId } from "@/server/domain/ids";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { contextOf } from "./context";
import { noteFailure } from "./http";
import { type AppRouter, appRouter } from "./root";

/**
 * A tRPC link inside this process: it calls procedures as the viewer of the current page, with every check of a call
 * from the browser, and without HTTP. `headers`: of the page's request.
 */
export async function localLink(headers: Headers): Promise<TRPCLink<AppRouter>> {
  const runtime = await getRuntime();
  const requestId = newId("req");
  const context = await contextOf(runtime, headers, requestId);
  return unstable_localLink({
    router: appRouter,
    createContext: async () => context,
    onError: ({ error, path }) => noteFailure(runtime, { error, path, requestId }),
  });
}
