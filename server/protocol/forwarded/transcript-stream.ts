import { eventFrame } from "../answers/sse";
import { chatErrorFrame, KEEP_ALIVE } from "../chat/writer";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { AnswerStream } from "../upstream-plan";
import { countSaid } from "../usage/estimate";
import { mayTellPrice } from "../usage/vendor-price";
import { countHeard, laterTold, readTold, type Sound, type UpstreamCounts } from "./audio-usage";
import type { SoldAt } from "./forwarded";
import { readStreamEvent } from "./stream-event";

/** Prefixes each line, since a frame's data is one line each. */
const asFrame = (data: string) => eventFrame(data.replaceAll("\n", "\ndata: "));

const LAST = "transcript.text.done";

/** The text in an event: OpenAI's delta or segment, or a chunk in the chat dialect (vLLM). */
function saidIn(event: JsonObject): string {
  const [choice] = objects(event.choices);
  const delta = isJsonObject(choice?.delta) ? textOf(choice.delta.content) : "";
  return textOf(event.delta) || delta || textOf(event.text);
}

const isLast = (event: JsonObject): boolean =>
  event.type === LAST || objects(event.choices).some(({ finish_reason: why }) => Boolean(why));

/** Forwards the events of a transcript unchanged. */
export class TranscriptStream implements AnswerStream {
  private readonly heard: { sound: Sound; prompt: string; sold: SoldAt };
  private upstreamCounts: UpstreamCounts = { seconds: null, tokens: null };
  private outputTokens = 0;
  isStarted = false;
  isFinished = false;
  readonly isCut = false;

  constructor(heard: { sound: Sound; prompt: string; sold: SoldAt }) {
    this.heard = heard;
  }

  readonly keepAlive = () => KEEP_ALIVE;

  push(data: string): ReturnType<AnswerStream["push"]> {
    const read = readStreamEvent(data);
    if (read.kind !== "event") {
      return read;
    }
    const { event, text } = read;
    this.isStarted = true;
    this.isFinished ||= isLast(event);
    // The last event repeats the whole text, unless it is the only one.
    if (event.type !== LAST || this.outputTokens === 0) {
      this.outputTokens += countSaid(saidIn(event));
    }
    this.upstreamCounts = laterTold(this.upstreamCounts, readTold(event));
    return { kind: "frames", text: asFrame(mayTellPrice(text) ? JSON.stringify(event) : text), isWork: true };
  }

  ending(): string {
    return eventFrame("[DONE]");
  }

  readonly failing = chatErrorFrame;

  settled(): ReturnType<AnswerStream["settled"]> {
    const { sold, ...heard } = this.heard;
    return countHeard(
      { ...heard, upstreamCounts: this.upstreamCounts, outputTokens: () => this.outputTokens },
      sold,
    );
  }
}
