/**
 * Parses large bodies in a thread that check-thread.ts starts, and returns the facts that are needed before they are
 * paid for.
 */
import { parentPort } from "node:worker_threads";
import { GatewayError, type GatewayErrorData } from "@/server/base/errors";
import { withoutBlanks } from "@/server/protocol/json/blanks";
import { mendSurrogates } from "@/server/protocol/json/lone-surrogates";
import { parseNamed } from "../pipeline/path-model";
import { type KindName, knownOf } from "../pipeline/request-kinds";

/** `model`: the address's model, for a body without one. */
export type CheckJob = { name: KindName; body: Uint8Array<ArrayBuffer>; model: string | null };
export type CheckResult = { body: Uint8Array<ArrayBuffer> } & (
  | { facts: unknown; isNamed: boolean }
  | { refusal: GatewayErrorData }
);

function check({ name, body, model }: CheckJob): CheckResult {
  try {
    // The bytes belong to this thread until it returns them.
    mendSurrogates(body);
    const raw = Buffer.from(body.buffer).toString("utf8");
    const { parsed, isNamed } = parseNamed(raw, model, (text) => knownOf(name, text));
    // The text is valid JSON, so removing its blanks joins no two tokens.
    return { body: withoutBlanks(body), facts: parsed, isNamed };
  } catch (error) {
    if (error instanceof GatewayError) {
      return { body, refusal: { kind: error.kind, texts: error.texts } };
    }
    throw error;
  }
}

const port = parentPort;
if (port === null) {
  throw new Error("this file runs as a worker thread");
}
port.on("message", (job: CheckJob) => {
  const done = check(job);
  port.postMessage(done, [done.body.buffer]);
});
