import { lookUp } from "@/server/base/deadline";
import { readerLanguage } from "@/server/base/language";
import type { Runtime } from "@/server/runtime/runtime";
import { addressOf, originOf } from "./request";
import type { Context } from "./trpc";
import { findViewer } from "./viewer";

/** The facts of an HTTP request that procedures need. */
export const contextOf = async (runtime: Runtime, headers: Headers, requestId: string): Promise<Context> => ({
  runtime,
  viewer: await lookUp(findViewer()),
  address: addressOf(headers),
  origin: originOf(headers),
  language: readerLanguage(headers),
  requestId,
});
