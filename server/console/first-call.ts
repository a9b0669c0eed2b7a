import { headers } from "next/headers";
import { listModels } from "@/server/catalog";
import { getRuntime } from "@/server/runtime";
import { curlLine } from "./curl-line";

/** `curl` is null while there is no model to call. */
export type FirstCall = { baseUrl: string; curl: string | null };

/** Where the API is, as seen from this browser, and a first line to try it with. */
export async function describeFirstCall(): Promise<FirstCall> {
  const runtime = await getRuntime();
  const request = await headers();
  // Next fills both in where no proxy did.
  const baseUrl = `${request.get("x-forwarded-proto")}://${request.get("x-forwarded-host")}/v1`;
  const models = await listModels(runtime.db.orm);
  const model = models.find((candidate) => candidate.isEnabled && candidate.kind === "chat");
  return { baseUrl, curl: model ? curlLine(baseUrl, model.id) : null };
}
