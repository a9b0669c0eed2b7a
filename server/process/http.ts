import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type AllowList, clientAddress, compileAllowList } from "@/server/access";
import { answerAdmin } from "@/server/admin";
import { withinMs } from "@/server/base/deadline";
import { endStalled, plainReply, type Reply, writeReply } from "@/server/base/reply";
import { migrationsAreCurrent } from "@/server/db";
import type { Methods } from "@/server/gateway";
import { findWrongSecrets } from "@/server/operations";
import { admitBody } from "./console-body";
import { endpointAt } from "./endpoints";
import { migrationsFolder, type Runtime, standInFront } from "./runtime";

const READY_TIMEOUT_MS = 3_000;

type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>;

/** The path of a request target, a trailing slash aside. */
const pathOf = (target: string) => (target.split("?", 1)[0] ?? "/").replace(/(?<=.)\/$/, "");

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** What nginx, Caddy, Azure, Cloudflare, AWS, Fastly, Envoy and their like put on what they pass on. */
const PROXIED =
  /^(?:forwarded|via|x-(?:forwarded|original|amzn?|azure|appgw|envoy|arr|real|client|cluster|appengine|akamai)(?:-.*)?|cf-.*|true-client-ip|fastly-.*|cdn-loop|client-ip)$/;

/** Somebody on this machine, and nobody else through a proxy that runs on it. */
function isLocal({ socket, headers, httpVersion }: IncomingMessage): boolean {
  return (
    LOOPBACK.includes(socket.remoteAddress ?? "") &&
    OWN_HOST.test(headers.host ?? "") &&
    // As nginx asks its upstream when it has been told nothing else.
    httpVersion !== "1.0" &&
    !Object.keys(headers).some((name) => PROXIED.test(name))
  );
}

/** Compares in a time that says nothing about how much of it was right. */
function isSame(offered: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(offered), digest(expected));
}

/** Why the database does not let this process serve; empty: it does. */
async function findTrouble({ db, secrets }: Runtime): Promise<string> {
  if (!(await migrationsAreCurrent(db, migrationsFolder()))) {
    return "migrations";
  }
  return (await findWrongSecrets(db, secrets)).length > 0 ? "secrets" : "";
}

/** `/healthz`, `/readyz`, `/metrics`; null for any other path. */
async function operate(runtime: Runtime, path: string, incoming: IncomingMessage): Promise<Reply | null> {
  if (path === "/healthz") {
    return plainReply(200, "ok");
  }
  if (path === "/readyz") {
    if (runtime.isDraining()) {
      return plainReply(503, "draining");
    }
    const trouble = await withinMs(
      findTrouble(runtime).catch(() => "database"),
      READY_TIMEOUT_MS,
    );
    return trouble === "" ? plainReply(200, "ready") : plainReply(503, trouble ?? "database");
  }
  if (path === "/metrics") {
    const token = runtime.config.METRICS_TOKEN;
    const mayRead = token
      ? isSame(incoming.headers.authorization ?? "", `Bearer ${token}`)
      : isLocal(incoming);
    const { registry } = runtime.metrics;
    return mayRead
      ? { status: 200, headers: { "content-type": registry.contentType }, body: await registry.metrics() }
      : plainReply(403, "forbidden");
  }
  return null;
}

/** Whether an address can be made of it: a name or an address, and a port. */
const isHost = (text: string) => /^[\w.:[\]-]{1,262}$/.test(text) && URL.canParse(`http://${text}`);

/**
 * Next cannot see the socket, and believes what stands here: it gets the one address that may be believed, and the
 * host and the scheme that a trusted proxy was asked by. Without these two it takes those of the request itself.
 */
function vouch({ headers, socket }: IncomingMessage, trusted: AllowList | null): void {
  const peer = socket.remoteAddress ?? null;
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

/** What programs ask for: `/v1` and `/admin/v1`. */
async function answerCall(
  runtime: Runtime,
  request: Request,
  { path, peer }: { path: string; peer: string | null },
): Promise<Reply> {
  if (path.startsWith("/admin/")) {
    return await answerAdmin(runtime, request, peer);
  }
  const methods = runtime.gateway[endpointAt(path)];
  const method = (request.method === "HEAD" ? "GET" : request.method) as keyof Methods;
  // No endpoint knows OPTIONS, so its handler refuses what has no handler of its own.
  return await (methods[method] ?? methods.OPTIONS)(request, peer);
}

/** One server, one port: what programs ask for and the operator's paths are answered here, everything else by `otherwise`. */
export function createHttpServer(runtime: Runtime, otherwise: NodeHandler): Server {
  const listener = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse };
      const path = pathOf(incoming.url ?? "/");
      const answer =
        (await operate(runtime, path, incoming)) ??
        (await answerCall(runtime, request, { path, peer: incoming.socket.remoteAddress ?? null }));
      await writeReply(answer, outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    // The process is Next's too, which brings its own Request and Response.
    { overrideGlobalObjects: false },
  );
  const own = /^\/(?:(?:admin\/)?v1(?:\/|$|\?)|healthz|readyz|metrics)/;
  standInFront();
  const proxies = runtime.config.TRUSTED_PROXIES;
  const trusted = proxies.length > 0 ? compileAllowList(proxies) : null;
  const stallMs = runtime.config.CLIENT_STALL_SECONDS * 1000;
  const answerConsole: NodeHandler = async (incoming, outgoing) => {
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
    vouch(incoming, trusted);
    await otherwise(incoming, outgoing);
  };
  // An offer to change the protocol (Java's client makes it with every call) is not taken up, which HTTP allows, and
  // the request is answered as it is: Next's own listener would let the connection hang, or cut it. `next dev` has use
  // for it.
  const isUpgraded = runtime.config.NODE_ENV === "development";
  const server = createServer({ shouldUpgradeCallback: () => isUpgraded }, (incoming, outgoing) => {
    endStalled(outgoing, stallMs);
    if (own.test(incoming.url ?? "/")) {
      void listener(incoming, outgoing);
      return;
    }
    void answerConsole(incoming, outgoing);
  });
  // A client may take its time to send a large body, but not for ever; a reply may stream for as long as it likes.
  server.headersTimeout = 15_000;
  server.requestTimeout = 120_000;
  server.keepAliveTimeout = 75_000;
  return server;
}
