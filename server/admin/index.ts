/**
 * The admin door: `/admin/v1`, for programs with a management key. Knows HTTP and the names of the API, and holds no
 * business rules: changes and reads are declared in `operations` and `queries`. A key of an account acts as its owner,
 * a key of the installation as an admin. Promises the gateway's envelope for every refusal, and that a repeat with the
 * same Idempotency-Key creates nothing twice.
 */

import { createHash } from "node:crypto";
import type { Manager } from "@/server/access";
import type { ClientRequest } from "@/server/base/client-request";
import { limitConcurrency } from "@/server/base/concurrency";
import { lookUp } from "@/server/base/deadline";
import { errorMessages } from "@/server/base/error-messages";
import { asGatewayError, GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { jsonReply, type Reply } from "@/server/base/reply";
import { isStorable } from "@/server/base/storable";
import { fromQuery, fromWire, toWire } from "@/server/base/wire-names";
import type { Db } from "@/server/db";
import type { Role } from "@/server/domain/enums";
import { newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { mayAll, sideOf } from "@/server/domain/roles";
import { answerOnce } from "@/server/operations";
import { operationContext, queryContext } from "@/server/runtime/operation-context";
import type { Runtime } from "@/server/runtime/runtime";
import { readMembers } from "./body";
import { type Found, findRoute } from "./find-route";
import { openApi } from "./openapi";
import { refusalReply } from "./refusals";
import { inputSchema, outputSchema, type RouteVariant } from "./route";

export { adminReference } from "./reference";

/** Longer than a test of a channel takes. */
const REQUEST_MS = 30_000;

/** Room for more than a UUID; in visible ASCII. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Limits the load of one program: the charges of all customers wait behind at most this much. */
const takeTurn = limitConcurrency(4, 50);

/** Built at the first request for it. */
let document: string | undefined;

/** A request in progress. */
type AdminRequest = { request: ClientRequest; url: URL; match: Found; address: string | null };

type AdminLogFields = { path?: string; managementKeyId?: string; err?: unknown };

/** The role that a key acts as: owner of its account, or admin. */
const roleOf = ({ accountId }: Manager): Role => (accountId === null ? "operator" : "owner");

/** Returns the first variant of the route that the key may use. Throws forbidden (403). */
function wayFor(manager: Manager, { route }: Found): RouteVariant {
  const way = route.ways.find(({ needs }) => mayAll(roleOf(manager), needs));
  if (!way || (manager.isReadOnly && route.method !== "GET")) {
    throw new GatewayError("forbidden");
  }
  return way;
}

/** Adds the key's account to the input. The input may name that account; any other is unknown to the key. */
function withAccount(
  parameters: Record<string, unknown>,
  manager: Manager,
  { input }: RouteVariant,
): Record<string, unknown> {
  if (manager.accountId === null || !("accountId" in input.shape)) {
    return parameters;
  }
  if (parameters.accountId !== undefined && parameters.accountId !== manager.accountId) {
    throw new Refusal("the account does not exist", "accountUnknown");
  }
  return { ...parameters, accountId: manager.accountId };
}

/** Returns the request's input in the names of the declarations. Throws the 400s. */
async function readGiven({ request, url: { searchParams }, match }: AdminRequest, way: RouteVariant) {
  const schema = inputSchema(way);
  const { text, members } =
    match.route.method === "GET" ? { text: "", members: {} } : await readMembers(request);
  if (match.route.method !== "GET" && searchParams.size > 0) {
    throw new GatewayError("invalidParameters", errorMessages.notInQuery());
  }
  const named = Object.keys(match.parameters).find(
    (name) => Object.hasOwn(members, name) || searchParams.has(name),
  );
  if (named !== undefined) {
    throw new GatewayError("invalidParameters", errorMessages.unknownMember(named));
  }
  const query = fromQuery(searchParams, schema);
  const values = { ...query, ...fromWire({ ...members, ...match.parameters }, schema) };
  if (!isStorable(values)) {
    throw new GatewayError("invalidParameters", errorMessages.unstorable());
  }
  return { values, text };
}

async function answerKnown(runtime: Runtime, asking: AdminRequest, manager: Manager): Promise<Reply> {
  const { request, url, match, address } = asking;
  const { route } = match;
  const way = wayFor(manager, match);
  const { values, text } = await readGiven(asking, way);
  const actor = { userId: null, name: `${manager.name} (${manager.id})`, address };
  const language = languageOf(request.headers.get("accept-language"));
  const door = operationContext(runtime, { actor, origin: url.origin, language });
  const input = withAccount(values, manager, way);
  const make = async (db: Db) => {
    const answer = await way.run(
      { door: { ...door, db }, reading: queryContext(runtime, way), side: sideOf(roleOf(manager)) },
      input,
    );
    return JSON.stringify(toWire(way.answers.schema.parse(answer), outputSchema(way)));
  };
  const idempotencyKey = route.isKept ? request.headers.get("idempotency-key") : null;
  if (idempotencyKey === null) {
    return { ...jsonReply(route.status, null), body: await make(runtime.db) };
  }
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw new GatewayError("invalidParameters", errorMessages.invalid("Idempotency-Key"));
  }
  const once = {
    managementKeyId: manager.id,
    key: idempotencyKey,
    fingerprint: createHash("sha256").update(`${match.path}\n${text}`).digest("base64url"),
  };
  const { answer, isRepeat } = await answerOnce(runtime, once, make).finally(() =>
    runtime.replica?.noteWrite(),
  );
  const reply = { ...jsonReply(route.status, null), body: answer };
  return isRepeat ? { ...reply, headers: { ...reply.headers, "idempotent-replayed": "true" } } : reply;
}

/** `facts`: for the log line, also when an error is thrown. */
async function answerRoute(runtime: Runtime, asking: AdminRequest, facts: AdminLogFields): Promise<Reply> {
  const { headers } = asking.request;
  const { address } = asking;
  // Each deadline includes the wait for a turn.
  const { manager, shown } = await lookUp(
    takeTurn(`from ${address}`, () => runtime.access.identifyManager(headers, { address })),
  );
  facts.managementKeyId = manager.id;
  const answered = takeTurn(manager.id, () => answerKnown(runtime, asking, manager));
  const reply = await lookUp(answered, REQUEST_MS);
  return { ...reply, headers: { ...shown, ...reply.headers } };
}

/** `/admin/v1/...`. `peer`: the socket's address; null where a server cannot see it. */
export async function answerAdmin(
  runtime: Runtime,
  request: ClientRequest,
  peer: string | null,
): Promise<Reply> {
  const requestId = newId("req");
  const started = performance.now();
  const url = new URL(request.url);
  const address = runtime.access.addressOf(request.headers, peer);
  const facts: AdminLogFields = {};
  const answer = async (): Promise<Reply> => {
    if (url.pathname === "/admin/v1/openapi.json" && ["GET", "HEAD"].includes(request.method)) {
      document ??= JSON.stringify(openApi());
      return { ...jsonReply(200, null), body: document };
    }
    const match = findRoute(request.method, url.pathname);
    facts.path = match.route.path;
    return await answerRoute(runtime, { request, url, match, address }, facts);
  };
  const reply = await answer().catch((thrown: unknown) => {
    if (!(thrown instanceof Refusal)) {
      facts.err = asGatewayError(thrown).cause;
    }
    const language = languageOf(request.headers.get("accept-language"));
    return refusalReply(thrown, { language, redact: runtime.redact });
  });
  const line = { ...facts, requestId, method: request.method, status: reply.status };
  const elapsedMs = Math.round(performance.now() - started);
  runtime.log[reply.status >= 500 ? "error" : "info"]({ ...line, elapsedMs }, "admin request");
  runtime.metrics.requests.inc({ endpoint: "admin", status: reply.status });
  return { ...reply, headers: { ...reply.headers, "x-request-id": requestId, "cache-control": "no-store" } };
}
