/** Cuts answers at the stop sequences that their upstream does not take. */
import { continueWith } from "@/server/base/turns";
import { CutText } from "../stops";
import type { StreamWriter } from "../upstream-plan";
import type { Answer, AnswerEvent } from "./answer";
import type { ClientCall } from "./dialect";
import type { TokenLogprob } from "./logprobs";
import { AnswerSoFar, toEvents } from "./other-form";

/** Passes events up to the first stop sequence in a text, where the answer ends. Does not search thinking and calls. */
class EventCut {
  readonly #stops: readonly string[];
  /** The open text and its cut. */
  #text: { index: number; cut: CutText<TokenLogprob> } | null = null;
  isCut = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  read(event: AnswerEvent): AnswerEvent[] {
    if (this.isCut) {
      return [];
    }
    if (event.type === "open" && event.block.type === "text") {
      this.#text = { index: event.index, cut: new CutText(this.#stops) };
      return [event];
    }
    if (this.#text === null || !("index" in event) || event.index !== this.#text.index) {
      return [event];
    }
    const { index, cut } = this.#text;
    const grown = ({ text, tokens }: ReturnType<typeof cut.rest>): AnswerEvent[] =>
      text === "" && tokens.length === 0
        ? []
        : [{ type: "grow", index, text, ...(tokens.length > 0 && { logprobs: tokens }) }];
    if (event.type === "close") {
      this.#text = null;
      return [...grown(cut.rest()), event];
    }
    if (event.type !== "grow") {
      return [event];
    }
    const events = grown(cut.read(event.text, event.logprobs));
    if (cut.found === null) {
      return events;
    }
    this.isCut = true;
    return [
      ...events,
      { type: "close", index },
      { type: "stop", reason: "stop_sequence", sequence: cut.found },
    ];
  }
}

function* cutAnswer(answer: Answer, stops: readonly string[]): Generator<void, Answer> {
  const cut = new EventCut(stops);
  const before = new AnswerSoFar();
  for (const event of toEvents(answer)) {
    before.add(cut.read(event));
    if (cut.isCut) {
      return before.whole;
    }
    yield;
  }
  return answer;
}

function cutWriter(writer: StreamWriter<AnswerEvent>, stops: readonly string[]): StreamWriter<AnswerEvent> {
  const cut = new EventCut(stops);
  return {
    get isCut() {
      return cut.isCut;
    },
    keepAlive: () => writer.keepAlive(),
    write: (event) =>
      cut
        .read(event)
        .map((each) => writer.write(each))
        .join(""),
    end: (counted) => writer.end(counted),
    fail: (error) => writer.fail(error),
    rest: () => writer.rest?.() ?? null,
  };
}

/** A client whose answers are cut at these stop sequences. */
export const cutAt = (client: ClientCall, stops: readonly string[]): ClientCall =>
  stops.length === 0
    ? client
    : {
        ...client,
        writeAnswer: (answer, counted, context) =>
          continueWith(cutAnswer(answer, stops), (cut) => client.writeAnswer(cut, counted, context)),
        openWriter: (context) => cutWriter(client.openWriter(context), stops),
      };
