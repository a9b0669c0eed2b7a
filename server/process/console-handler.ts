import type { IncomingMessage } from "node:http";
import { compileAllowList } from "@/server/access";
import { answerAdmin } from "@/server/admin";
import { plainReply } from "@/server/base/reply";
import type { Runtime } from "../runtime/runtime";
import { standInFront } from "../runtime/shared-runtime";
import { admitBody } from "./console-body";
import { isHost, vouch } from "./forwarded-headers";
import { type NodeHandler, pathOf, replyHandler } from "./http";
import { answerPaymentEvent, isPaymentEvent } from "./payment-events";

/** The address of a request's client; null: unknown. */
export type PeerOf = (incoming: IncomingMessage) => string | null;

const bySocket: PeerOf = ({ socket }) => socket.remoteAddress ?? null;

/** The methods of pages and their calls. Next fails at TRACE, and answers other unknown methods with the page. */
const METHODS = ["GET", "HEAD", "POST", "OPTIONS"];

/** Answers the admin API and the messages of payment providers; everything else goes to `otherwise`, which is Next. */
export function answerConsole(
  runtime: Runtime,
  otherwise: NodeHandler,
  peerOf: PeerOf = bySocket,
): NodeHandler {
  standInFront();
  const proxies = runtime.config.TRUSTED_PROXIES;
  const trusted = proxies.length > 0 ? compileAllowList(proxies) : null;
  const admin = replyHandler((request, incoming) => answerAdmin(runtime, request, peerOf(incoming)));
  const payments = replyHandler((request, incoming) =>
    answerPaymentEvent(runtime, request, pathOf(incoming.url ?? "/")),
  );
  return async (incoming, outgoing) => {
    if (/^\/admin\/v1(?:\/|$|\?)/.test(incoming.url ?? "/")) {
      return await admin(incoming, outgoing);
    }
    if (isPaymentEvent(pathOf(incoming.url ?? "/"))) {
      return await payments(incoming, outgoing);
    }
    if (!METHODS.includes(incoming.method ?? "")) {
      const refusal = plainReply(405, `The method ${incoming.method} is not supported.`);
      return { ...refusal, headers: { ...refusal.headers, allow: METHODS.join(", ") } };
    }
    const { host } = incoming.headers;
    if (host !== undefined && !isHost(host)) {
      // Next would build an address from it, fail, and write its text into the log.
      return plainReply(400, "The Host header names no host.");
    }
    const admitted = await admitBody(runtime, incoming, pathOf(incoming.url ?? "/"));
    if ("refusal" in admitted) {
      return admitted.refusal;
    }
    if (outgoing.closed) {
      admitted.release();
      return null;
    }
    outgoing.once("close", admitted.release);
    vouch(incoming.headers, peerOf(incoming), trusted);
    return await otherwise(incoming, outgoing);
  };
}
