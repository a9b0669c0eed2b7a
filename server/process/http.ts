import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ClientRequest } from "@/server/base/client-request";
import { type Eventual, whenOver } from "@/server/base/eventual";
import { endStalled, plainReply, type Reply, writeReply } from "@/server/base/reply";
import { isMisplaced, type Methods, servedTarget } from "@/server/gateway";
import { sayHealth } from "../runtime/health";
import type { Runtime } from "../runtime/runtime";
import { nodeRequest } from "./node-request";

/** Returns the reply, or null if it writes to `outgoing` itself. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Eventual<Reply | null>;

/** The path of a request target, without a trailing slash. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  const path = query === -1 ? target : target.slice(0, query);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * A request target as a path: a client that is configured to call through a proxy, and takes us for one, sends the
 * whole address (RFC 9112, 3.2.2).
 */
const pathForm = (target: string) => target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/");

/** Returns the metrics for Prometheus. Throws if they are not available. */
export type Measure = () => Promise<{ contentType: string; text: string }>;

/** How often Node looks for requests that are sent too slowly. Its own half a minute would double their time. */
const CHECK_MS = 5_000;

const LOOPBACK = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];
const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Headers that nginx, Caddy, Azure, Cloudflare, AWS, Fastly, Envoy and similar proxies add to the requests they pass
 * on.
 */
const PROXIED =
  /^(?:forwarded|via|x-(?:forwarded|original|amzn?|azure|appgw|envoy|arr|real|client|cluster|appengine|akamai)(?:-.*)?|cf-.*|true-client-ip|fastly-.*|cdn-loop|client-ip)$/;

/** Whether the client is on this machine, and does not come through a proxy that runs on it. */
function isLocal({ socket, headers, httpVersion }: IncomingMessage): boolean {
  return (
    LOOPBACK.includes(socket.remoteAddress ?? "") &&
    OWN_HOST.test(headers.host ?? "") &&
    // nginx uses HTTP/1.0 for its upstream by default.
    httpVersion !== "1.0" &&
    !Object.keys(headers).some((name) => PROXIED.test(name))
  );
}

/** Compares in a time that does not reveal how much of the text was right. */
function isSame(offered: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(offered), digest(expected));
}

async function readiness(runtime: Runtime): Promise<Reply> {
  if (runtime.isDraining()) {
    return plainReply(503, "draining");
  }
  const health = await runtime.health.check();
  return plainReply(health.isReady ? 200 : 503, sayHealth(health));
}

async function metrics(runtime: Runtime, measure: Measure, incoming: IncomingMessage): Promise<Reply> {
  const token = runtime.config.METRICS_TOKEN;
  const mayRead = token ? isSame(incoming.headers.authorization ?? "", `Bearer ${token}`) : isLocal(incoming);
  if (!mayRead) {
    return plainReply(403, "forbidden");
  }
  const measured = await measure().catch(() => null);
  return measured
    ? { status: 200, headers: { "content-type": measured.contentType }, body: measured.text }
    : plainReply(503, "the metrics cannot be read");
}

/** The operator's paths. They need no `Host`: HAProxy's plain check is HTTP/1.0 without one. */
const operatorPaths = (runtime: Runtime, measure: Measure) =>
  new Map<string, (incoming: IncomingMessage) => Promise<Reply>>([
    ["/healthz", async () => plainReply(200, "ok")],
    ["/readyz", () => readiness(runtime)],
    ["/metrics", (incoming) => metrics(runtime, measure, incoming)],
  ]);

/** Adapts a function from a client's request to a plain reply. A request without a valid address gets an empty 400. */
export function replyHandler(
  answer: (request: ClientRequest, incoming: IncomingMessage) => Eventual<Reply>,
): NodeHandler {
  return (incoming, outgoing) => {
    const request = nodeRequest(incoming, outgoing);
    return request === null ? plainReply(400, "") : answer(request, incoming);
  };
}

const OWN = /^\/(?:v1(?:alpha|beta1?)?(?:\/|$|\?)|openai(?:\/|$|\?)|healthz|readyz|metrics)/;

/** Whether a key is in a place that no browser fills by itself, and no proxy that asks for a password. */
const hasKey = ({ url = "", headers: { authorization = "", ...headers } }: IncomingMessage) =>
  /^bearer\s/i.test(authorization) ||
  // Google's clients send the key in the query.
  /[?&]key=sk-/.test(url) ||
  ["x-api-key", "api-key", "x-goog-api-key"].some((name) => name in headers);

/** Requests from programs, even with a wrong base URL: they get an error in JSON instead of the console's page. */
const isOwn = (incoming: IncomingMessage) => {
  const { url = "/" } = incoming;
  return OWN.test(url) || isMisplaced(pathOf(url), hasKey(incoming));
};

/** Answers the requests of programs below `/v1`, `/v1beta` and `/openai`. */
function answerCall(
  { gateway }: Runtime,
  request: ClientRequest,
  { path, peer }: { path: string; peer: string | null },
): Eventual<Reply> {
  const methods = gateway.at(path);
  const method = (request.method === "HEAD" ? "GET" : request.method) as keyof Methods;
  // No endpoint has OPTIONS, so its handler refuses methods without a handler, and websockets everywhere.
  const isWebsocket = method === "GET" && request.headers.get("upgrade")?.toLowerCase() === "websocket";
  return (isWebsocket ? methods.OPTIONS : (methods[method] ?? methods.OPTIONS))(request, peer);
}

/** A server for `handle` that limits how slow its clients may be. */
export function createBoundedServer({ config, log, isDraining }: Runtime, handle: NodeHandler): Server {
  const stallMs = config.CLIENT_STALL_SECONDS * 1000;
  // An offer to change the protocol (Java's client makes it with every call) is declined, as HTTP allows, and the
  // request is answered as it is: Next's own listener would let the connection hang, or cut it. `next dev` needs such
  // connections.
  const isUpgraded = ({ url = "/" }: IncomingMessage) =>
    config.NODE_ENV === "development" && !OWN.test(pathForm(url));
  // An error ends one request, not the process.
  const fail = (outgoing: ServerResponse, error: unknown) => {
    log.error({ err: error }, "a request was not answered");
    outgoing.destroy();
  };
  const write = (reply: Reply | null, outgoing: ServerResponse) => {
    try {
      if (reply !== null) {
        void writeReply(reply, outgoing);
      }
    } catch (error) {
      fail(outgoing, error);
    }
  };
  const options = { shouldUpgradeCallback: isUpgraded, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(options, (incoming, outgoing) => {
    endStalled(outgoing, stallMs);
    // The client's next call goes to another server.
    outgoing.shouldKeepAlive &&= !isDraining();
    void whenOver(
      () => handle(incoming, outgoing),
      (reply) => write(reply, outgoing),
      (error) => fail(outgoing, error),
    );
  });
  // A client may take time to send a large body, within a limit; a reply may stream without one.
  server.headersTimeout = 15_000;
  server.requestTimeout = 120_000;
  server.keepAliveTimeout = 75_000;
  return server;
}

/** Answers calls and the operator's paths here; everything else, including the admin API, goes to `others`. */
export function createHttpServer(runtime: Runtime, others: NodeHandler, measure?: Measure): Server {
  const { registry } = runtime.metrics;
  const own: Measure = async () => ({ contentType: registry.contentType, text: await registry.metrics() });
  const operator = operatorPaths(runtime, measure ?? own);
  const answer = replyHandler((request, incoming) =>
    answerCall(runtime, request, {
      path: pathOf(incoming.url ?? "/"),
      peer: incoming.socket.remoteAddress ?? null,
    }),
  );
  return createBoundedServer(runtime, (incoming, outgoing) => {
    incoming.url = servedTarget(pathForm(incoming.url ?? "/"));
    const operate = operator.get(pathOf(incoming.url));
    if (operate) {
      return operate(incoming);
    }
    return isOwn(incoming) ? answer(incoming, outgoing) : others(incoming, outgoing);
  });
}
