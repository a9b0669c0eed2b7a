import { atOnce } from "@/server/base/turns";
import { LongWords } from "../answers/long-words";
import { eventFrame } from "../answers/sse";
import type { JsonObject } from "../fields";
import { printedParts } from "../json/print";
import { MAX_AT_ONCE_CHARACTERS } from "../json/turns";
import type { AnswerEvent, BlockHead, Stop } from "../pivot/answer";
import type { Citation } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import type { TokenLogprob } from "../pivot/logprobs";
import type { CountedUsage, StreamError, StreamWriter } from "../upstream-plan";
import {
  type GeminiForm,
  Parts,
  responseId,
  silentPart,
  thoughtPart,
  writeFrame,
  writeSilence,
} from "./answer-out";
import { googleError } from "./error-out";
import type { Cited } from "./grounding-out";

/** How a stream separates its pieces: events, or elements of one JSON array. */
export type Framing = {
  /** The text before and after the JSON of a piece. */
  around: () => readonly [before: string, after: string];
  /** A keep-alive. Not a comment: Google's older SDKs fail on it. */
  life: (json: () => string) => string;
  end: () => string;
};

export function framed(framing: Framing, json: string): string {
  const [before, after] = framing.around();
  return before + json + after;
}

export const asEvents: Framing = {
  around: () => ["data: ", "\n\n"],
  life: (json) => eventFrame(json()),
  end: () => "",
};

/** Google's format without `alt=sse`. */
export function asArray(): Framing {
  let isBegun = false;
  return {
    around: () => {
      const before = isBegun ? "\n,\n" : "[";
      isBegun = true;
      return [before, ""];
    },
    life: () => (isBegun ? "\n" : ""),
    end: () => (isBegun ? "\n]\n" : "[]\n"),
  };
}

type FunctionCall = Parameters<Parts["call"]>[0];

/** An open block. Thinking and calls are kept until they are whole. */
type OpenGeminiBlock =
  | { type: "said"; texts: string[]; citations: Citation[] }
  | { type: "thinking"; texts: string[]; seal: Seal | null }
  | { type: "call"; id: string; name: string; texts: string[] };

/** Writes events for a client of this dialect. Calls go out whole. */
export class GeminiOut implements StreamWriter<AnswerEvent> {
  private readonly form: GeminiForm;
  private readonly framing: Framing;
  private readonly parts: Parts;
  private id: string;
  private readonly open = new Map<number, OpenGeminiBlock>();
  /** All texts: positions count through all of them. */
  private readonly cited: Cited[] = [];
  private readonly long = new LongWords();
  private stop: Stop = { reason: "end", sequence: null };

  constructor(form: GeminiForm, framing: Framing) {
    this.form = form;
    this.framing = framing;
    this.parts = new Parts(form.context);
    this.id = responseId("", form.context);
  }

  keepAlive(): string {
    return this.long.inTurn(() =>
      this.framing.life(() => JSON.stringify(writeSilence(this.id, this.form.context))),
    );
  }

  rest(): Iterable<string> | null {
    return this.long.rest();
  }

  write(event: AnswerEvent): string {
    return this.long.inTurn(() => this.textFor(event));
  }

  private textFor(event: AnswerEvent): string | Iterable<string> {
    switch (event.type) {
      case "start":
        this.id = responseId(event.id, this.form.context);
        return "";
      case "open":
        this.begin(event.index, event.block);
        return "";
      case "grow":
        return this.grow(this.open.get(event.index), event.text, event.logprobs);
      case "seal": {
        const open = this.open.get(event.index);
        if (open?.type === "thinking") {
          open.seal = event.seal;
        }
        return "";
      }
      case "cite": {
        const open = this.open.get(event.index);
        if (open?.type === "said") {
          open.citations.push(event.citation);
        }
        return "";
      }
      case "close":
        return this.close(event.index);
      case "stop":
        this.stop = event;
        return "";
    }
  }

  end({ usage }: CountedUsage): string {
    return this.long.inTurn(() => {
      const rest = this.parts.rest();
      const last = rest.length > 0 ? rest : [silentPart];
      const ending = { finish: this.parts.finish(this.stop), usage };
      return this.frame(last, { ending, cited: this.cited }) + this.framing.end();
    });
  }

  fail(error: Omit<StreamError, "data">): string {
    return this.long.inTurn(() => framed(this.framing, googleError(error)) + this.framing.end());
  }

  private frame(
    parts: JsonObject[],
    rest: {
      ending?: { finish: string; usage: CountedUsage["usage"] };
      logprobs?: TokenLogprob[];
      cited?: Cited[];
    } = {},
  ): string {
    if (parts.length === 0) {
      return "";
    }
    const { context } = this.form;
    return framed(this.framing, JSON.stringify(atOnce(writeFrame(parts, { id: this.id, context, ...rest }))));
  }

  /** Prints a call in parts. */
  private *call(call: FunctionCall): Generator<string> {
    const reading = this.parts.call(call);
    let read = reading.next();
    for (; !read.done; read = reading.next()) {
      yield "";
    }
    if (read.value.length > 0) {
      const [before, after] = this.framing.around();
      const { context } = this.form;
      yield before;
      yield* printedParts(atOnce(writeFrame(read.value, { id: this.id, context })));
      yield after;
    }
  }

  private begin(index: number, block: BlockHead): void {
    switch (block.type) {
      case "redacted":
        this.parts.think(block);
        return;
      case "thinking":
        this.open.set(index, { type: "thinking", texts: [], seal: null });
        return;
      case "call":
        this.open.set(index, { ...block, texts: [] });
        return;
      default:
        this.open.set(index, { type: "said", texts: [], citations: [] });
    }
  }

  private grow(open: OpenGeminiBlock | undefined, text: string, logprobs: TokenLogprob[] = []): string {
    if (open === undefined || (text === "" && logprobs.length === 0)) {
      return "";
    }
    if (open.type === "said") {
      open.texts.push(text);
      return this.frame([this.parts.say(text)], { logprobs });
    }
    open.texts.push(text);
    return open.type === "thinking" && this.form.showsThoughts ? this.frame([thoughtPart(text)]) : "";
  }

  private close(index: number): string | Iterable<string> {
    const open = this.open.get(index);
    this.open.delete(index);
    switch (open?.type) {
      case "thinking":
        this.parts.think({ type: "thinking", text: open.texts.join(""), seal: open.seal });
        return "";
      case "call": {
        const call = { ...open, arguments: open.texts.join("") };
        return call.arguments.length > MAX_AT_ONCE_CHARACTERS
          ? this.call(call)
          : this.frame(atOnce(this.parts.call(call)));
      }
      case "said":
        this.cited.push({ text: open.texts.join(""), citations: open.citations });
        return "";
      default:
        return "";
    }
  }
}
