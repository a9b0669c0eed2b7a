/** Cuts chat answers that stay in their dialect at the stop sequences that their upstream does not take. */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { CutText } from "../stops";
import type { StreamWriter } from "../upstream-plan";

type Cut = CutText<JsonObject>;

const tokensOf = ({ logprobs }: JsonObject): JsonObject[] =>
  isJsonObject(logprobs) ? objects(logprobs.content) : [];

/** Limits a choice's token probabilities to the tokens of the text that goes out. */
const withTokens = ({ logprobs }: JsonObject, content: JsonObject[]): JsonObject =>
  isJsonObject(logprobs) ? { logprobs: { ...logprobs, content } } : {};

/** Removes calls after a stop sequence: a model that stopped would not have made them. */
function withoutCalls({ tool_calls: _calls, function_call: _call, ...message }: JsonObject): JsonObject {
  return message;
}

/** Cuts each choice of a whole (normalised) answer at the first stop sequence in its text. */
export function* cutCompletion(answer: JsonObject, stops: readonly string[]): Generator<void, JsonObject> {
  if (stops.length === 0) {
    return answer;
  }
  const choices: JsonObject[] = [];
  for (const choice of objects(answer.choices)) {
    choices.push(yield* cutChoice(choice, stops));
  }
  return { ...answer, choices };
}

function* cutChoice(choice: JsonObject, stops: readonly string[]): Generator<void, JsonObject> {
  const message = isJsonObject(choice.message) ? choice.message : {};
  const cut: Cut = new CutText(stops);
  const { text, tokens } = yield* cut.readInSteps(textOf(message.content), tokensOf(choice));
  return cut.found === null
    ? choice
    : {
        ...choice,
        ...withTokens(choice, tokens),
        message: { ...withoutCalls(message), content: text },
        finish_reason: "stop",
      };
}

/** Passes normalised chunks to `writer`, each choice up to the first stop sequence in its text. */
export class CutChunks implements StreamWriter<JsonObject> {
  readonly #writer: StreamWriter<JsonObject>;
  readonly #stops: readonly string[];
  readonly #choices: number;
  readonly #cuts = new Map<unknown, Cut>();
  readonly #ended = new Set<unknown>();

  /** `choices`: the expected number of choices. */
  constructor(writer: StreamWriter<JsonObject>, stops: readonly string[], choices: number) {
    this.#writer = writer;
    this.#stops = stops;
    this.#choices = choices;
  }

  get isCut(): boolean {
    return this.#ended.size >= this.#choices && [...this.#cuts.values()].some(({ found }) => found !== null);
  }

  keepAlive(): string {
    return this.#writer.keepAlive();
  }

  write(chunk: JsonObject): string {
    const entries = objects(chunk.choices);
    const choices = entries.flatMap((choice) => this.#cutChoice(choice));
    const isCounted = chunk.usage !== undefined;
    return choices.length > 0 || entries.length === 0 || isCounted
      ? this.#writer.write({ ...chunk, choices })
      : "";
  }

  end(...counted: Parameters<StreamWriter<JsonObject>["end"]>): string {
    return this.#writer.end(...counted);
  }

  fail(...error: Parameters<StreamWriter<JsonObject>["fail"]>): string {
    return this.#writer.fail(...error);
  }

  #cutChoice(choice: JsonObject): JsonObject[] {
    const cut = this.#cuts.get(choice.index) ?? new CutText<JsonObject>(this.#stops);
    this.#cuts.set(choice.index, cut);
    if (cut.found !== null) {
      return [];
    }
    const { content, ...delta } = isJsonObject(choice.delta) ? choice.delta : {};
    const piece = cut.read(textOf(content), tokensOf(choice));
    const isOver = this.#ended.has(choice.index) || typeof choice.finish_reason === "string";
    const rest = isOver ? cut.rest() : { text: "", tokens: [] };
    const text = piece.text + rest.text;
    const isFound = cut.found !== null;
    if (isOver || isFound) {
      this.#ended.add(choice.index);
    }
    const isHeld = text === "" && textOf(content) !== "";
    if (isHeld && Object.keys(delta).length === 0 && !isOver && !isFound) {
      return [];
    }
    return [
      {
        ...choice,
        ...withTokens(choice, [...piece.tokens, ...rest.tokens]),
        delta: {
          ...(isFound ? withoutCalls(delta) : delta),
          ...(text !== "" && { content: text }),
          ...(content === "" && text === "" && { content }),
        },
        ...(isFound && { finish_reason: "stop" }),
      },
    ];
  }
}
