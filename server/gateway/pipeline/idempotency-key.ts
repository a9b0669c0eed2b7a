import { createHash } from "node:crypto";
import type { ClientRequest } from "@/server/base/client-request";
import { asGatewayError, GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import type { Reply } from "@/server/base/reply";
import type { Claim, KeptAnswer } from "@/server/idempotency";
import { REPLAYED, readIdempotencyKey } from "@/server/protocol/idempotency-key";
import { saidIn } from "@/server/protocol/multipart/form";
import { type Forms, readSent } from "../body/body";
import { type AuthedCall, nameModel } from "./call";
import type { GatewayDeps } from "./gateway-deps";
import { lossHeaders } from "./losses";
import { createResponseRecorder, type ResponseRecorder } from "./response-recorder";

type CallHandler = (call: AuthedCall) => Eventual<Reply>;

/** The headers that are a part of the request. */
const ASKING = ["anthropic-version", "anthropic-beta"];

/** Hashes a request. Ignores a form's boundaries: SDKs make new ones when they repeat a call. */
function fingerprintOf(
  { url, headers }: ClientRequest,
  { body = "", form }: Pick<AuthedCall, "body" | "form">,
): string {
  const { pathname, searchParams } = new URL(url);
  // The caller's key is no part of the request, wherever the client sends it.
  searchParams.delete("key");
  const parts = [
    pathname.replace(/\/$/, ""),
    `${searchParams}`,
    ...ASKING.map((name) => headers.get(name) ?? ""),
  ];
  const hash = createHash("sha256").update(`${JSON.stringify(parts)}\n`);
  for (const piece of form ? saidIn(form) : [body]) {
    hash.update(piece);
  }
  return hash.digest("base64url");
}

/**
 * Runs only the first of all calls with one Idempotency-Key, and gives its answer to the others. A call without the
 * header simply runs.
 */
export const withIdempotencyKey =
  (deps: GatewayDeps, run: CallHandler, forms: Forms = "never"): CallHandler =>
  (call) => {
    const key = readIdempotencyKey(call.request.headers);
    return key === null ? run(call) : runOnce(deps, { call, key, forms }, run);
  };

type Keyed = { call: AuthedCall; key: string; forms: Forms };

async function runOnce(deps: GatewayDeps, { call, key, forms }: Keyed, run: CallHandler): Promise<Reply> {
  const { request, requestId, caller } = call;
  const content = await readSent(call, forms);
  const outcome = await deps.idempotency.claim(
    {
      accountId: caller.accountId,
      keyId: caller.keyId,
      requestId,
      key,
      fingerprint: fingerprintOf(request, content),
    },
    [call.hangUp, deps.stopping],
  );
  if ("kept" in outcome) {
    return replay(call, outcome.kept);
  }
  // It may have waited for another call with the key.
  call.readyAt = performance.now();
  return await record(Object.assign(call, content), outcome.claim, run);
}

/** Returns the first call's answer. Throws its refusal, and the 404 of a model that the key has lost since. */
function replay(call: AuthedCall, { requestId, model, isStream, said: answer }: KeptAnswer): Reply {
  if (model !== null) {
    nameModel(call, model);
  }
  Object.assign(call.logFields, { stream: isStream, replayOf: requestId });
  if ("refusal" in answer) {
    throw new GatewayError(answer.refusal, "", { headers: REPLAYED });
  }
  const { status, headers, body } = answer;
  return { status, headers: { ...headers, ...REPLAYED }, body: bodyOf(body) };
}

/** Runs the first call, and stores its answer before its client gets the end of it. */
async function record(call: AuthedCall, claim: Claim, run: CallHandler): Promise<Reply> {
  const tape = createResponseRecorder(call.bytes);
  const { requestId, logFields: facts, ended: end } = call;
  let isEnding = false;
  const keptAnswer = (what: KeptAnswer["said"]): KeptAnswer => ({
    requestId,
    model: facts.model ?? null,
    isStream: facts.stream ?? false,
    said: what,
  });
  const ended: AuthedCall["ended"] = (how) => {
    isEnding = true;
    end(how);
  };
  const keepIn: AuthedCall["storeInTx"] = async (tx, { status, headers, body }) => {
    if (typeof body === "string") {
      await claim.keepIn(tx, keptAnswer({ status, headers: { ...lossHeaders(call), ...headers }, body }));
    }
  };
  let reply: Reply;
  try {
    reply = await run(Object.assign(call, { ended, onDetachedText: tape.addLast, storeInTx: keepIn }));
  } catch (thrown) {
    const { kind } = asGatewayError(thrown);
    // Any other refusal came before the call cost anything.
    await (kind === "billingFailed" ? claim.keep(keptAnswer({ refusal: kind })) : claim.abandon());
    throw thrown;
  }
  const { status } = reply;
  const headers = { ...lossHeaders(call), ...reply.headers };
  let kept: Promise<void> | undefined;
  const write = () => {
    const body = tape.body();
    return claim.keep(body === null ? null : keptAnswer({ status, headers, body }));
  };
  const keep = () => {
    kept ??= write();
    return kept;
  };
  if (typeof reply.body === "string") {
    await tape.add(reply.body);
    await keep();
    return reply;
  }
  const pieces = taped(reply.body, tape);
  if (facts.stream) {
    return { ...reply, body: keepingStream(pieces, () => isEnding, keep) };
  }
  try {
    return { ...reply, body: await readAll(pieces, tape) };
  } catch (error) {
    // The call was paid for, and half an answer is not stored as one.
    tape.lose();
    throw error;
  } finally {
    await keep();
  }
}

type BodyPiece = string | Uint8Array;
type Pieces = AsyncGenerator<BodyPiece>;

async function* taped(body: Pieces, tape: ResponseRecorder): Pieces {
  for await (const piece of body) {
    await tape.add(piece);
    yield piece;
  }
}

/** Reads a paid answer as a whole, unless it is too long to be stored. */
async function readAll(pieces: Pieces, tape: ResponseRecorder): Promise<Reply["body"]> {
  const head: BodyPiece[] = [];
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    head.push(next.value);
    if (tape.isLost()) {
      return continued(head, pieces);
    }
  }
  return bodyOf(tape.body() ?? "");
}

async function* continued(head: BodyPiece[], rest: Iterable<BodyPiece> | Pieces): Pieces {
  yield* head;
  yield* rest;
}

/** Bytes go out in pieces. */
const bodyOf = (piece: BodyPiece): Reply["body"] =>
  typeof piece === "string" ? piece : continued([piece], []);

/**
 * A stream whose last piece waits until all pieces are stored. `isEnding`: from now on a piece may be the last one. If
 * the client hangs up, the pieces so far are stored as well.
 */
async function* keepingStream(pieces: Pieces, isEnding: () => boolean, keep: () => Promise<void>): Pieces {
  try {
    let held: BodyPiece | null = null;
    for await (const piece of pieces) {
      if (held !== null) {
        yield held;
      }
      held = isEnding() ? piece : null;
      if (held === null) {
        yield piece;
      }
    }
    await keep();
    if (held !== null) {
      yield held;
    }
  } finally {
    await keep();
  }
}
