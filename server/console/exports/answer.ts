/** `/api/export/*`: lists as files, downloaded by the browser itself. */
import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { z } from "zod";
import { findSessionUser } from "@/server/access";
import { toResponse, untilTaken } from "@/server/base/reply";
import { newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { contextOf } from "../context";
import { isOwnSite } from "../request";
import type { Context } from "../trpc";
import { capConcurrency } from "./concurrency";
import { type CsvTable, csvOf } from "./csv";
import { exportRouter } from "./router";

/** For each viewer: a download lasts as long as its reader likes. */
const takePlace = capConcurrency(3);

/** A file of a million rows takes minutes, in which the session may end. */
const BATCHES_A_CHECK = 20;

/** Whether a page of the console asks, or a user who typed the address. */
const isAskedHere = (headers: Headers) => isOwnSite(headers) || headers.get("sec-fetch-site") === "none";

const refuse = (status: number, message: string, requestId: string) =>
  new Response(`${message}\n`, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "x-request-id": requestId,
      "cache-control": "no-store",
    },
  });

/** Text for the user, shown by the browser; never the text of an unexpected error. */
function wordsFor(error: TRPCError): string {
  if (error.code === "INTERNAL_SERVER_ERROR") {
    return "Something went wrong on the server";
  }
  return error.cause instanceof z.ZodError ? "The filters of this export are not valid" : error.message;
}

/** Yields batches as long as the viewer's session lasts. Throws Refusal. */
async function* whileSignedIn({ batches }: CsvTable, { runtime, viewer }: Context) {
  let count = 0;
  for await (const batch of batches) {
    if (++count % BATCHES_A_CHECK === 0 && !(await findSessionUser(runtime.db, viewer?.sessionId ?? ""))) {
      throw new Refusal("the session has ended", "signedOut");
    }
    yield batch;
  }
}

async function answerWith(table: CsvTable, context: Context, request: Request): Promise<Response> {
  const { runtime, requestId, viewer } = context;
  const giveBack = takePlace(viewer?.id ?? "", request);
  if (!giveBack) {
    return refuse(429, "Three exports are under way already. Wait for one to end, or cancel one", requestId);
  }
  const onError = (err: unknown) =>
    runtime.log[err instanceof Refusal ? "info" : "error"](
      { err, requestId, file: table.name },
      "an export broke off",
    );
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${table.name}.csv"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  };
  const body = csvOf({ ...table, batches: whileSignedIn(table, context) }, { onError });
  // If the reader leaves before the first row, nothing needs cleaning up: the place is released with the request.
  return toResponse(untilTaken({ status: 200, headers, body }, giveBack));
}

/** Returns the list that the path names, with the filters of the query, as CSV. */
export async function exportCsv(context: Context, request: Request): Promise<Response> {
  const { runtime, requestId } = context;
  if (!isAskedHere(request.headers)) {
    return refuse(403, "An export is for the console's own pages", requestId);
  }
  // If a client sends HEAD, Next calls this as for GET and leaves the file unread.
  if (request.method !== "GET") {
    return refuse(405, "An export is read with GET", requestId);
  }
  const { pathname, searchParams } = new URL(request.url);
  const what = pathname.split("/").at(-1) ?? "";
  const exports = exportRouter.createCaller(context);
  if (!Object.hasOwn(exportRouter._def.procedures, what)) {
    return refuse(404, "There is no such export", requestId);
  }
  try {
    const table = await exports[what as keyof typeof exports](Object.fromEntries(searchParams) as never);
    return await answerWith(table, context, request);
  } catch (error) {
    if (!(error instanceof TRPCError)) {
      throw error;
    }
    const status = getHTTPStatusCodeFromError(error);
    if (status >= 500) {
      runtime.log.error({ err: error.cause ?? error, requestId, what }, "an export failed");
    }
    return refuse(status, wordsFor(error), requestId);
  }
}

export async function answerExport(request: Request): Promise<Response> {
  const context = await contextOf(await getRuntime(), request.headers, newId("req"));
  return await exportCsv(context, request);
}
