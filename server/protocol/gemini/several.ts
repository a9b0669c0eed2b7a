/** Several answers to one call of Google's dialect (`candidateCount`), for upstreams that give only one. */

import {
  type AnswerFailure,
  type AnswerOutcome,
  addUp,
  countOf,
  type JoinedAnswers,
} from "../answers/several";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { parseExactInSteps } from "../json/turns";
import { writeUsage } from "./answer-out";
import { type Framing, framed } from "./stream-out";

const contentOf = (parts: JsonObject[]): JsonObject => ({ parts, role: "model" });

/** The placeholder for a failed answer: OTHER, Google's reason for all other ends, with the error's text. */
const failed = (index: number, { message, sentence = message }: AnswerFailure): JsonObject => ({
  ...{ index, content: contentOf([]) },
  ...{ finishReason: "OTHER", finishMessage: sentence },
});

/** The events' JSON in a piece of a stream. */
const dataOf = (text: string): string[] =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => frame.slice("data: ".length));

/** Joins the candidates of several calls as those of one call. Clients of this dialect learn no cost. */
export class JoinedCandidates implements JoinedAnswers {
  readonly #framing: Framing;
  #head: JsonObject | null = null;
  /** The latest counts of each call: the counts of a stream are totals. */
  readonly #usages = new Map<number, JsonObject>();
  /** Answers that failed before any other began: the stream that could report them does not exist yet. */
  readonly #early: [place: number, error: AnswerFailure][] = [];

  /** `framing`: the framing of the joined stream. The pieces of the single calls are events. */
  constructor(framing: Framing) {
    this.#framing = framing;
  }

  whole(made: AnswerOutcome[]): JsonObject {
    const candidates = made.flatMap((each, place) =>
      "body" in each ? this.#note(place, each.body) : [failed(place, each.failure)],
    );
    return { candidates, usageMetadata: this.#usage(), ...this.#head };
  }

  *piece(place: number, text: string): Generator<void, string> {
    let joined = "";
    for (const data of dataOf(text)) {
      joined += yield* this.#piece(place, data);
    }
    return joined;
  }

  broken(text: string): string {
    const frames = dataOf(text).map((data) => framed(this.#framing, data));
    return frames.join("") + this.#framing.end();
  }

  failure(place: number, error: AnswerFailure): string {
    if (this.#head === null) {
      this.#early.push([place, error]);
      return "";
    }
    if (error.usage) {
      this.#usages.set(place, writeUsage(error.usage));
    }
    return this.#frame([failed(place, error)]);
  }

  /** A piece with an empty candidate: SDKs forget a conversation in which a piece has no candidate. */
  end(): string {
    const silent = { index: 0, content: contentOf([{ text: "" }]) };
    return this.#frame([silent], { usageMetadata: this.#usage() }) + this.#framing.end();
  }

  #frame(candidates: JsonObject[], more: JsonObject = {}): string {
    return framed(this.#framing, JSON.stringify({ candidates, ...more, ...this.#head }));
  }

  *#piece(place: number, data: string): Generator<void, string> {
    const chunk = yield* parseExactInSteps(data);
    yield;
    if (!isJsonObject(chunk)) {
      return "";
    }
    if (isJsonObject(chunk.error)) {
      const { code, message } = chunk.error;
      return this.failure(place, { code: countOf(code), message: textOf(message) });
    }
    const candidates = this.#note(place, chunk);
    const piece = candidates.length > 0 ? this.#frame(candidates) : "";
    const early = this.#early.splice(0).map((each) => this.failure(...each));
    return piece + early.join("");
  }

  /** The candidates of an answer, or of a piece of one, with their index. Stores the answer's head and its counts. */
  #note(place: number, { candidates, usageMetadata, modelVersion, responseId }: JsonObject): JsonObject[] {
    this.#head ??= { modelVersion, responseId };
    if (isJsonObject(usageMetadata)) {
      this.#usages.set(place, usageMetadata);
    }
    return objects(candidates).map((candidate) => ({ ...candidate, index: place }));
  }

  #usage = (): JsonObject => addUp([...this.#usages.values()]);
}
