/**
 * Several answers to one call, for upstreams that give only one: the gateway makes as many calls and joins their
 * answers, which are already in the client's dialect. OpenAI's dialects: chat (`n`) and completions (`n`, several
 * prompts).
 */

import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { printText } from "../json/print";
import { parseExactInSteps } from "../json/turns";
import { writeChatUsage } from "../usage/chat-usage";
import type { Usage } from "../usage/usage";
import { eventFrame } from "./sse";

/** The error of a failed answer. `usage`: of the part that came, which the client pays for. */
export type AnswerFailure = { code: number; message: string; sentence?: string; usage?: Usage };

/** The outcome of one of several calls: its answer's body, or its error. */
export type AnswerOutcome = { body: JsonObject } | { failure: AnswerFailure };

/** Joins the answers to one call, each in the client's dialect and in its place. */
export type JoinedAnswers = {
  /** The body for whole answers and the errors of failed ones. */
  whole: (made: AnswerOutcome[], cost?: number) => JsonObject;
  /**
   * Converts a piece of one answer's stream to a piece of the joined stream, in steps. An answer's end waits for all
   * answers.
   */
  piece: (place: number, text: string) => Generator<void, string>;
  /** The end of an answer that broke off, or never began. */
  failure: (place: number, error: AnswerFailure) => string;
  /** The end of the joined stream. */
  end: (cost?: number) => string;
  /** The end if all answers broke off, in the form of one of their streams. */
  broken: (text: string) => string;
};

/** The finish reason of a failed answer: the others keep their places, and the client pays for them. */
const FAILED = "error";

/** A dialect's empty choice, whole and as a piece of a stream. */
export const silentChoices = {
  chat: { whole: { message: { role: "assistant", content: "" } }, piece: { delta: {} } },
  completions: { whole: { text: "" }, piece: { text: "" } },
} as const satisfies Record<string, { whole: JsonObject; piece: JsonObject }>;

const isCount = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "object" && value !== null && "rawJSON" in value);
export const countOf = (value: unknown): number => Number(isJsonObject(value) ? value.rawJSON : (value ?? 0));

/** The sum of several usage objects, member by member. A member without counts comes from the first object. */
export function addUp(all: JsonObject[]): JsonObject {
  const names = new Set(all.flatMap((each) => Object.keys(each)));
  const sum = (name: string): unknown => {
    const values = all.map((each) => each[name]).filter((value) => value !== undefined && value !== null);
    if (values.length > 0 && values.every(isCount)) {
      return values.reduce<number>((total, value) => total + countOf(value), 0);
    }
    const inner = values.filter(isJsonObject);
    return inner.length > 0 ? addUp(inner) : all.find((each) => each[name] !== undefined)?.[name];
  };
  return Object.fromEntries([...names].map((name) => [name, sum(name)]));
}

/** The joint cost is rounded once. */
const withCost = (usage: JsonObject, cost: number | undefined): JsonObject =>
  usage.cost === undefined || cost === undefined ? usage : { ...usage, cost };

/** `cost`: of all answers, if the client gets it. */
export class JoinedChoices implements JoinedAnswers {
  readonly #silent: (typeof silentChoices)[keyof typeof silentChoices];
  #head: JsonObject | null = null;
  readonly #usages: JsonObject[] = [];
  /** Usage of answers that broke off. It joins the others' usage, for clients that asked for it. */
  readonly #lost: JsonObject[] = [];
  /** Answers that failed before any other began: the stream that could report them does not exist yet. */
  readonly #early: [place: number, error: AnswerFailure][] = [];

  constructor(silent: (typeof silentChoices)[keyof typeof silentChoices]) {
    this.#silent = silent;
  }

  whole(made: AnswerOutcome[], cost?: number): JsonObject {
    const choices = made.flatMap((each, place) =>
      "body" in each
        ? this.#note(each.body).map((choice) => ({ ...choice, index: place }))
        : [this.#failed(place, each.failure, this.#silent.whole)],
    );
    return { ...this.#head, usage: withCost(addUp(this.#usages), cost), choices };
  }

  *piece(place: number, text: string): Generator<void, string> {
    let joined = "";
    for (const frame of text.split("\n\n").filter((each) => each !== "")) {
      joined += yield* this.#frame(place, frame);
    }
    return joined;
  }

  failure(place: number, error: AnswerFailure): string {
    if (this.#head === null) {
      this.#early.push([place, error]);
      return "";
    }
    if (error.usage) {
      this.#lost.push(writeChatUsage(error.usage));
    }
    const choice = this.#failed(place, error, this.#silent.piece);
    return eventFrame(JSON.stringify({ ...this.#head, choices: [choice] }));
  }

  end(cost?: number): string {
    const usage = withCost(addUp([...this.#usages, ...this.#lost]), cost);
    const usageChunk = this.#usages.length > 0 ? { ...this.#head, choices: [], usage } : null;
    return (usageChunk ? eventFrame(JSON.stringify(usageChunk)) : "") + eventFrame("[DONE]");
  }

  broken(text: string): string {
    return text;
  }

  #failed(place: number, { code, message, sentence }: AnswerFailure, silence: JsonObject): JsonObject {
    const error = { code, message: sentence ?? message };
    return { index: place, ...silence, logprobs: null, finish_reason: FAILED, error };
  }

  *#frame(place: number, frame: string): Generator<void, string> {
    const data = frame.startsWith("data: ") ? frame.slice("data: ".length) : null;
    if (data === null) {
      return `${frame}\n\n`;
    }
    const chunk = data === "[DONE]" ? null : yield* parseExactInSteps(data);
    yield;
    if (!isJsonObject(chunk)) {
      return "";
    }
    if (isJsonObject(chunk.error)) {
      // The answer has already ended with its own error.
      const { code, message } = chunk.error;
      return this.failure(place, { code: countOf(code), message: textOf(message) });
    }
    const placed = this.#note(chunk).map((choice) => ({ ...choice, index: place }));
    const { id, created } = this.#head ?? {};
    const text =
      placed.length === 0
        ? ""
        : eventFrame(
            yield* printText({
              ...chunk,
              id,
              created,
              choices: placed,
              ...(isJsonObject(chunk.usage) && { usage: null }),
            }),
          );
    return (
      text +
      this.#early
        .splice(0)
        .map((early) => this.failure(...early))
        .join("")
    );
  }

  /** The choices of an answer, or of a piece of one. Stores the answer's head and its counts. */
  #note({ choices, usage, ...head }: JsonObject): JsonObject[] {
    this.#head ??= head;
    if (isJsonObject(usage)) {
      this.#usages.push(usage);
    }
    return objects(choices);
  }
}
