import { GatewayError } from "@/server/base/errors";
import type { Reply } from "@/server/base/reply";
import { inTurns, printInTurns } from "@/server/base/turns";
import { readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { passesNumbers, readEmbeddings } from "@/server/protocol/embeddings/answer";
import type { EmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { areItems, takeVectors } from "@/server/protocol/embeddings/written-vectors";
import type { JsonObject } from "@/server/protocol/fields";
import { setMembers } from "@/server/protocol/json/splice";
import type { CountedUsage } from "@/server/protocol/upstream-plan";
import { standardTerms } from "@/server/protocol/usage/standard-terms";
import { type ReadCall, readCall } from "../body/body";
import { type AuthedCall, getNamedModel } from "../pipeline/call";
import { costHeader } from "../pipeline/charge";
import { dispatchAndCharge } from "../pipeline/dispatch-call";
import { freezeForCall, releasingOnFailure } from "../pipeline/freeze";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { MAX_ANSWER_BYTES, parseAnswer } from "../pipeline/relay-answer";
import { embeddingsKind } from "../pipeline/request-kinds";
import { unreadable } from "../stream/stream-frames";

/** Whether an upstream refused a call because of its vectors' encoding. */
const refusesEncoding = (error: unknown): boolean =>
  error instanceof GatewayError &&
  error.kind === "upstreamRejected" &&
  /encoding_format|base64/i.test(error.message);

/** Up to this many vectors are printed at once, and the client gets the answer's length. */
const FEW_ITEMS = 16;

/** Reads the answer. The vectors' text goes on as it came if the client wants numbers. null: malformed. Throws UpstreamFault. */
async function readVectors<Request extends EmbeddingsRequest>(
  reply: UpstreamReply,
  request: Request,
  read: ReadVectors<Request>,
): Promise<EmbeddingsAnswer | null> {
  const text = await readText(reply.body, MAX_ANSWER_BYTES);
  const readInTurns = (answer: unknown, asked: Request) =>
    inTurns(read(answer, asked)).catch((error: unknown) => {
      throw unreadable(error);
    });
  const taken = passesNumbers(request) ? await inTurns(takeVectors(text)) : null;
  if (taken) {
    const answer = await parseAnswer(taken.rest);
    if (areItems(answer, taken)) {
      return await readInTurns(answer, { ...request, written: taken.vectors });
    }
  }
  return await readInTurns(await parseAnswer(text), request);
}

/** An upstream's counted answer, with the client's body in pieces. */
type EmbeddingsAnswer = CountedUsage & { body: Iterable<string> };

/** Reads the answer in steps, and may pause between them. null: malformed. */
type ReadVectors<Request> = (answer: unknown, request: Request) => Generator<void, EmbeddingsAnswer | null>;

/**
 * Relays a call for embeddings of any dialect: resolve, hold, dispatch, meter, capture, respond. Only input is paid
 * for.
 */
export async function embed<Request extends EmbeddingsRequest>(
  deps: GatewayDeps,
  call: AuthedCall,
  {
    facts,
    open,
    read,
  }: ReadCall<Pick<EmbeddingsRequest, "model" | "inputTokens">, Request> & {
    read: ReadVectors<Request>;
  },
): Promise<Reply> {
  const model = await getNamedModel(deps.catalog, call, { id: facts.model, kind: "embedding" });
  const { inputTokens } = facts;
  const paid = await freezeForCall(deps, { call, model }, { inputTokens, maxOutputTokens: 0, choices: 1 });
  return await releasingOnFailure(deps, paid.hold, async () => {
    const request = await open();
    const ask = (more: JsonObject = {}) =>
      dispatchAndCharge(deps, paid, {
        plan: ({ upstreamName }) => ({
          operation: "embeddings" as const,
          headers: {},
          body: setMembers(request, {
            ...standardTerms(request.others, { name: upstreamName, dialect: "chat" }),
            model: upstreamName,
            ...more,
          }),
        }),
        accept: async (reply) => {
          const answer = await readVectors(reply, request, read);
          if (!answer) {
            throw new UpstreamFault(
              "malformed",
              "the answer does not hold the embeddings that were asked for",
            );
          }
          return answer;
        },
      });
    const { body } = await ask().catch((error: unknown) => {
      if (request.encoding === "base64" && refusesEncoding(error)) {
        // OpenAI's programs ask for base64 by default: the gateway encodes the numbers itself.
        return ask({ encoding_format: "float" });
      }
      throw error;
    });
    return {
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8", ...costHeader(call) },
      body: request.items <= FEW_ITEMS ? [...body].join("") : printInTurns(body),
    };
  });
}

/** POST /v1/embeddings (spec 4.4). */
export function embeddings(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) =>
    embed(deps, call, { ...(await readCall(call, embeddingsKind)), read: readEmbeddings });
}
