import type { IncomingMessage } from "node:http";
import { type AllowList, clientAddress, compileAllowList } from "@/server/access";
import { answerAdmin } from "@/server/admin";
import { plainReply, writeReply } from "@/server/base/reply";
import { admitBody } from "./console-body";
import { type NodeHandler, pathOf, webHandler } from "./http";
import { answerPaymentEvent, isPaymentEvent } from "./payment-events";
import { type Runtime, standInFront } from "./runtime";

/** The address that a request comes from; null: nobody knows. */
export type PeerOf = (incoming: IncomingMessage) => string | null;

const bySocket: PeerOf = ({ socket }) => socket.remoteAddress ?? null;

/** Whether an address can be made of it: a name or an address, and a port. */
const isHost = (text: string) => /^[\w.:[\]-]{1,262}$/.test(text) && URL.canParse(`http://${text}`);

/** Of pages and what they call. Next fails at TRACE, and gives the page to whatever else it does not know. */
const METHODS = ["GET", "HEAD", "POST", "OPTIONS"];

/**
 * Next cannot see the socket, and believes what stands here: it gets the one address that may be believed, and the
 * host and the scheme that a trusted proxy was asked by. Without these two it takes those of the request itself.
 */
function vouch({ headers }: IncomingMessage, peer: string | null, trusted: AllowList | null): void {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",") || null;
  headers["x-forwarded-for"] = clientAddress(peer, forwarded, trusted) ?? "unknown";
  const isTrusted = trusted?.allows(peer) ?? false;
  // Of several proxies each may add its own: the first one is what the client asked.
  const firstOf = (name: string) => [headers[name] ?? []].flat().join(",").split(",", 1)[0]?.trim() ?? "";
  const told = {
    "x-forwarded-host": isHost(firstOf("x-forwarded-host")) && firstOf("x-forwarded-host"),
    "x-forwarded-proto": /^https?$/.test(firstOf("x-forwarded-proto")) && firstOf("x-forwarded-proto"),
    "x-forwarded-port": /^\d{1,5}$/.test(firstOf("x-forwarded-port")) && firstOf("x-forwarded-port"),
  };
  for (const [name, value] of Object.entries(told)) {
    if (isTrusted && value) {
      headers[name] = value;
    } else {
      delete headers[name];
    }
  }
}

/** The admin API, the messages of payment providers, and everything else by `otherwise`, which is Next. */
export function answerConsole(
  runtime: Runtime,
  otherwise: NodeHandler,
  peerOf: PeerOf = bySocket,
): NodeHandler {
  standInFront();
  const proxies = runtime.config.TRUSTED_PROXIES;
  const trusted = proxies.length > 0 ? compileAllowList(proxies) : null;
  const admin = webHandler((request, incoming) => answerAdmin(runtime, request, peerOf(incoming)));
  const payments = webHandler((request, incoming) =>
    answerPaymentEvent(runtime, request, pathOf(incoming.url ?? "/")),
  );
  return async (incoming, outgoing) => {
    if (/^\/admin\/v1(?:\/|$|\?)/.test(incoming.url ?? "/")) {
      await admin(incoming, outgoing);
      return;
    }
    if (isPaymentEvent(pathOf(incoming.url ?? "/"))) {
      await payments(incoming, outgoing);
      return;
    }
    if (!METHODS.includes(incoming.method ?? "")) {
      const refusal = plainReply(405, `The method ${incoming.method} is not supported.`);
      const headers = { ...refusal.headers, allow: METHODS.join(", ") };
      await writeReply({ ...refusal, headers }, outgoing);
      return;
    }
    const { host } = incoming.headers;
    if (host !== undefined && !isHost(host)) {
      // Next would make an address of it, fail, and write its text into the log.
      await writeReply(plainReply(400, "The Host header names no host."), outgoing);
      return;
    }
    const admitted = await admitBody(runtime, incoming, pathOf(incoming.url ?? "/"));
    if ("refusal" in admitted) {
      await writeReply(admitted.refusal, outgoing);
      return;
    }
    if (outgoing.closed) {
      admitted.release();
      return;
    }
    outgoing.once("close", admitted.release);
    vouch(incoming, peerOf(incoming), trusted);
    await otherwise(incoming, outgoing);
  };
}
