import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { AnswerEvent, AnswerEvents, BlockHead, Stop } from "../pivot/answer";
import { readThinking } from "../signed-thinking";
import { ArgumentsScan } from "../tools/arguments-scan";
import { citationsOf, clientsName, inputText, isAnswer, readStop } from "./answer-in";
import type { AnswerTools } from "./request-out";

/** An open block. `index`: its place among the events' blocks. */
type OpenMessagesBlock = {
  index: number;
  block: JsonObject;
  hasFragments: boolean;
  signature: string;
  /** The citations of a text, and the text so far. */
  cited: unknown[];
  texts: string[];
  /** How much of a call's arguments has come. */
  scan: ArgumentsScan;
};

/** Turns events of the messages dialect into the pivot's events, without the work of the vendor's own tools. */
export class MessagesEvents implements AnswerEvents<JsonObject> {
  private readonly tools: AnswerTools;
  private readonly open = new Map<unknown, OpenMessagesBlock>();
  /** Thinking that ended without its signature, which some vendors send after the next block has begun. */
  private readonly unsealed = new Map<unknown, { index: number; signature: string }>();
  private next = 0;
  private stop: Stop | null = { reason: "end", sequence: null };
  /** The tool whose input is the answer has been called: that input is the whole text. */
  private hasAnswer = false;
  /** The arguments of a call are no object. */
  private isBroken = false;
  /** Text of the model while such a call may still come: it becomes the answer only if the call does not come. */
  private readonly prose: string[] = [];

  constructor(tools: AnswerTools) {
    this.tools = tools;
  }

  read(event: JsonObject): AnswerEvent[] {
    switch (event.type) {
      case "message_start":
        return [{ type: "start", id: isJsonObject(event.message) ? textOf(event.message.id) : "" }];
      case "content_block_start":
        return isJsonObject(event.content_block)
          ? [...this.sealLate(), ...this.begin(event.index, event.content_block)]
          : [];
      case "content_block_delta":
        return isJsonObject(event.delta) ? this.continue(event.index, event.delta) : [];
      case "content_block_stop":
        return this.finish(event.index);
      case "message_delta": {
        const delta = isJsonObject(event.delta) ? event.delta : {};
        this.stop = delta.stop_reason ? readStop(delta) : this.stop;
        return [];
      }
      default:
        return [];
    }
  }

  end(): AnswerEvent[] | null {
    const finished = [...this.open.keys()].flatMap((index) => this.finish(index));
    const isCut = this.stop?.reason === "length" || this.stop?.reason === "refusal";
    if (this.stop === null || (this.isBroken && !isCut)) {
      return null;
    }
    const text = this.hasAnswer ? "" : this.prose.join("");
    const prose = text === "" ? [] : [...this.start(null, {}, { type: "text" }), ...this.grow(null, text)];
    return [...finished, ...prose, ...this.finish(null), ...this.sealLate(), { type: "stop", ...this.stop }];
  }

  /** The seals of thinking whose signature came after its end. */
  private sealLate(): AnswerEvent[] {
    return [...this.unsealed].flatMap(([at, { index, signature }]): AnswerEvent[] => {
      const read = signature === "" ? null : readThinking({ type: "thinking", thinking: "", signature });
      if (read?.type !== "thinking" || read.seal === null) {
        return [];
      }
      this.unsealed.delete(at);
      return [{ type: "seal", index, seal: read.seal }];
    });
  }

  private start(at: unknown, block: JsonObject, head: BlockHead): AnswerEvent[] {
    const index = this.next++;
    const cited = head.type === "text" ? objects(block.citations) : [];
    const signature = textOf(block.signature);
    this.open.set(at, {
      index,
      block,
      hasFragments: false,
      signature,
      cited,
      texts: [],
      scan: new ArgumentsScan(),
    });
    return [{ type: "open", index, block: head }];
  }

  private begin(at: unknown, block: JsonObject): AnswerEvent[] {
    switch (block.type) {
      case "tool_use":
        return this.beginCall(at, block);
      case "text":
        return this.tools.schemaTool === null
          ? [...this.start(at, block, { type: "text" }), ...this.grow(at, block.text)]
          : this.hold(block.text);
      case "thinking":
        return [...this.start(at, block, { type: "thinking" }), ...this.grow(at, block.thinking)];
      case "redacted_thinking":
        return block.data ? this.start(at, block, { type: "redacted", data: textOf(block.data) }) : [];
      default:
        return [];
    }
  }

  private beginCall(at: unknown, block: JsonObject): AnswerEvent[] {
    if (!isAnswer(block, this.tools)) {
      return this.start(at, block, {
        type: "call",
        id: textOf(block.id),
        name: clientsName(block, this.tools),
      });
    }
    // A second call would put two JSON texts in a row.
    const begun = this.hasAnswer ? [] : this.start(at, block, { type: "text" });
    this.hasAnswer = true;
    return begun;
  }

  private continue(at: unknown, delta: JsonObject): AnswerEvent[] {
    switch (delta.type) {
      case "text_delta":
        return this.tools.schemaTool === null ? this.speak(at, delta.text) : this.hold(delta.text);
      case "thinking_delta":
        return this.grow(at, delta.thinking);
      case "input_json_delta":
        return this.grow(at, delta.partial_json);
      case "citations_delta":
        this.open.get(at)?.cited.push(delta.citation);
        return [];
      case "signature_delta": {
        const open = this.open.get(at) ?? this.unsealed.get(at);
        if (open) {
          open.signature += textOf(delta.signature);
        }
        return [];
      }
      default:
        return [];
    }
  }

  /** Some vendors in between continue a block that has ended. */
  private speak(at: unknown, text: unknown): AnswerEvent[] {
    const begun = this.open.has(at) ? [] : this.start(at, {}, { type: "text" });
    return [...begun, ...this.grow(at, text)];
  }

  private hold(text: unknown): AnswerEvent[] {
    this.prose.push(textOf(text));
    return [];
  }

  private grow(at: unknown, text: unknown): AnswerEvent[] {
    const open = this.open.get(at);
    if (!open || typeof text !== "string" || text === "") {
      return [];
    }
    open.hasFragments = true;
    if (open.block.type === "tool_use") {
      open.scan.read(text);
    }
    if (open.block.type !== "tool_use" && open.block.type !== "thinking") {
      open.texts.push(text);
    }
    return [{ type: "grow", index: open.index, text }];
  }

  private finish(at: unknown): AnswerEvent[] {
    const open = this.open.get(at);
    if (!open) {
      return [];
    }
    const { index, block, hasFragments, signature, cited, texts } = open;
    const whole = block.type === "tool_use" && !hasFragments ? this.grow(at, atOnce(inputText(block))) : [];
    this.open.delete(at);
    const isBlank = open.scan.state === "blank";
    this.isBroken ||= block.type === "tool_use" && !isBlank && open.scan.state !== "complete";
    const read = readThinking({ ...block, thinking: "", signature });
    const seal = read?.type === "thinking" ? read.seal : null;
    if (block.type === "thinking" && seal === null) {
      this.unsealed.set(at, { index, signature: "" });
    }
    const cites = atOnce(citationsOf(cited, texts.join(""))).map(
      (citation): AnswerEvent => ({
        ...{ type: "cite", index, citation },
      }),
    );
    return [
      ...whole,
      ...cites,
      ...(seal ? [{ type: "seal" as const, index, seal }] : []),
      { type: "close", index },
    ];
  }
}
