import { mapInSteps } from "@/server/base/turns";
import { isThinking } from "../block-kinds";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import type { ToolNames } from "../tools/tool-names";
import { textBlocks } from "./blocks-out";
import { PendingCalls } from "./pending-calls";

/** The assistant's blocks, the results of its calls, and the user's blocks after them. */
type MessagesRound = {
  assistant: JsonObject[];
  unanswered: Set<string>;
  results: JsonObject[];
  user: JsonObject[];
};

const newRound = (): MessagesRound => ({ assistant: [], unanswered: new Set(), results: [], user: [] });

const isCall = (block: JsonObject): boolean => block.type === "tool_use";

/**
 * An empty turn of the user, where the messages dialect requires one and the client sent none. Each is a new object,
 * since it may get a cache mark.
 */
const silence = (): JsonObject => ({ role: "user", content: [{ type: "text", text: "..." }] });

/**
 * A conversation in the order that the messages dialect requires: the sides alternate, and the results of a turn's
 * calls come first in the next turn, one for every call. A result may come at any later place.
 */
export class Turns {
  private readonly rounds: MessagesRound[] = [];
  private last = this.begin();
  private readonly pending = new PendingCalls<MessagesRound>();

  private begin(): MessagesRound {
    this.last = newRound();
    this.rounds.push(this.last);
    return this.last;
  }

  addUser(blocks: JsonObject[]): void {
    for (const block of blocks) {
      this.last.user.push(block);
    }
  }

  /** `tool_use` blocks carry the client's identifier. A turn with only thinking is left out. */
  addAssistant(blocks: JsonObject[]): void {
    if (blocks.every(isThinking)) {
      return;
    }
    if (this.last.results.length > 0 || this.last.user.length > 0) {
      this.begin();
    }
    for (const block of blocks) {
      if (isCall(block)) {
        const id = this.pending.add(String(block.id), this.last);
        this.last.unanswered.add(id);
        this.last.assistant.push({ ...block, id });
      } else {
        this.last.assistant.push(block);
      }
    }
  }

  /**
   * `result`: a `tool_result` block without its identifier. A result without a waiting call becomes the user's text.
   */
  addResult(sentId: string, result: JsonObject): void {
    const call = this.pending.take(sentId);
    if (call) {
      call.owner.results.push({ ...result, tool_use_id: call.id });
      call.owner.unanswered.delete(call.id);
      return;
    }
    const { content } = result;
    this.addUser([
      { type: "text", text: `[tool_result ${sentId}]` },
      ...(Array.isArray(content) ? content.filter(isJsonObject) : textBlocks(textOf(content))),
    ]);
  }

  /** The called tools, with the arguments that each got. */
  calledTools(): Map<string, Set<string>> {
    const called = new Map<string, Set<string>>();
    for (const { name, input } of this.rounds.flatMap((round) => round.assistant.filter(isCall))) {
      const argumentNames = called.get(String(name)) ?? new Set();
      called.set(String(name), argumentNames);
      for (const argument of Object.keys(input ?? {})) {
        argumentNames.add(argument);
      }
    }
    return called;
  }

  /**
   * Whether an unfinished turn of the assistant (calls whose results come with this request, or a prefill) has its
   * signed thinking: with manual thinking the upstream refuses one without (litellm#15601). A turn is a whole tool
   * loop, and a model need not think again after each result.
   */
  get isThinkingIntact(): boolean {
    const { assistant, user } = this.last;
    if (assistant.length === 0 || (user.length > 0 && !assistant.some(isCall))) {
      return true;
    }
    const start = this.rounds.findLastIndex(
      (round) => round !== this.last && (round.user.length > 0 || !round.assistant.some(isCall)),
    );
    return this.rounds.slice(start + 1).some((round) => isThinking(round.assistant[0]));
  }

  /** With thinking off, the upstream refuses the thinking of an unfinished turn. */
  dropThinking(): void {
    for (const round of this.rounds) {
      round.assistant = round.assistant.filter((block) => !isThinking(block));
    }
  }

  /** The conversation as messages. `isPrefill`: the client's last message is the start of the answer. */
  *toMessages(names: ToolNames, isPrefill: boolean): Generator<void, JsonObject[]> {
    const rounds = yield* mapInSteps(this.rounds, (round) => roundMessages(round, names));
    const messages = rounds.flat();
    if (messages[0]?.role !== "user") {
      messages.unshift(silence());
    }
    const last = messages.at(-1);
    if (last?.role === "assistant") {
      messages.splice(-1, 1, ...(isPrefill ? [trimEnd(last)] : [last, silence()]));
    }
    return messages;
  }
}

/**
 * Removes thinking at the end: the upstream refuses a turn that ends in thinking, after the client has cut its call.
 */
const withoutLastThoughts = (blocks: JsonObject[]): JsonObject[] =>
  blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);

function roundMessages(
  { assistant, unanswered, results, user }: MessagesRound,
  names: ToolNames,
): JsonObject[] {
  const blocks = withoutLastThoughts(assistant).map((block) =>
    isCall(block) ? { ...block, name: names.toUpstream(String(block.name)) } : block,
  );
  const missing = [...unanswered].map((id) => ({
    type: "tool_result",
    tool_use_id: id,
    content: "(no result)",
    is_error: true,
  }));
  return [
    { role: "assistant", content: blocks },
    { role: "user", content: [...results, ...missing, ...user] },
  ].filter(({ content }) => content.length > 0);
}

/** The upstream refuses a prefill that ends in white space. */
function trimEnd(message: JsonObject): JsonObject {
  const content: JsonObject[] = Array.isArray(message.content) ? message.content : [];
  const last = content.at(-1);
  return typeof last?.text === "string"
    ? { ...message, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] }
    : message;
}
