import { z } from "zod";
import { readerLanguage } from "@/server/base/language";
import { alertOperations, runOperation } from "@/server/operations";
import { operationContext } from "@/server/runtime/operation-context";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { addressOf, originOf } from "./request";

const Refused = z.object({ name: z.enum(["Refusal", "GatewayError"]) });
const TooMany = z.object({ name: z.literal("GatewayError"), kind: z.literal("rateLimited") });

const textReply = (status: number, text: string) =>
  new Response(text, { status, headers: { "cache-control": "no-store" } });

/**
 * `POST /api/unsubscribe`: the one click of RFC 8058, by which a mail program leaves all alerts for its user. It has no
 * session and no page, so the signed token alone decides. Repeating it changes nothing.
 */
export async function answerUnsubscribe(request: Request): Promise<Response> {
  const runtime = await getRuntime();
  const { headers } = request;
  const parsed = alertOperations.leave.input.safeParse({
    token: new URL(request.url).searchParams.get("token"),
  });
  if (!parsed.success) {
    return textReply(400, "The link is incomplete.");
  }
  const door = operationContext(runtime, {
    actor: { userId: null, name: "", address: addressOf(headers) },
    ...{ origin: originOf(headers), language: readerLanguage(headers) },
  });
  try {
    await runOperation(door, alertOperations.leave, parsed.data);
    return textReply(200, "You get no more alerts by email.");
  } catch (error) {
    if (TooMany.safeParse(error).success) {
      return textReply(429, "Try again later.");
    }
    if (Refused.safeParse(error).success) {
      return textReply(400, "The link is no longer valid.");
    }
    runtime.log.error({ err: error }, "an unsubscription failed");
    return textReply(503, "Try again later.");
  }
}

/** A person who opens that address gets the page with a button. */
export const openUnsubscribe = (request: Request): Response =>
  new Response(null, {
    status: 303,
    headers: { location: `/unsubscribe${new URL(request.url).search}` },
  });
