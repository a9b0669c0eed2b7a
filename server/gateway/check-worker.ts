/** Parses large bodies in a thread that check-thread.ts starts, and tells what must be known of them. */
import { parentPort } from "node:worker_threads";
import { GatewayError, type Refusal } from "@/server/base/errors";
import { withoutBlanks } from "@/server/protocol/json-blanks";
import { mendSurrogates } from "@/server/protocol/lone-surrogates";
import { parseNamed } from "./path-model";
import { type KindName, knownOf } from "./request-kinds";

/** `model`: of the address, for a body that has none. */
export type Job = { name: KindName; body: Uint8Array<ArrayBuffer>; model: string | null };
export type Done = { body: Uint8Array<ArrayBuffer> } & (
  | { known: unknown; isNamed: boolean }
  | { refusal: Refusal }
);

function check({ name, body, model }: Job): Done {
  try {
    // The bytes are this thread's until they go back.
    mendSurrogates(body);
    const raw = Buffer.from(body.buffer).toString("utf8");
    const { parsed, isNamed } = parseNamed(raw, model, (text) => knownOf(name, text));
    // It is valid: nothing of it can come together that stood apart.
    return { body: withoutBlanks(body), known: parsed, isNamed };
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
port.on("message", (job: Job) => {
  const done = check(job);
  port.postMessage(done, [done.body.buffer]);
});
