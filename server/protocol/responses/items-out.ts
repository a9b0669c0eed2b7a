import { errorMessages } from "@/server/base/error-messages";
import { mapInSteps } from "@/server/base/turns";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Block, CallBlock, Conversation, ResultBlock, Turn } from "../pivot/conversation";
import {
  blocksOf,
  joinTexts,
  NO_RESULT,
  pairResults,
  type Round,
  type RoundResults,
  splitRounds,
} from "../pivot/rounds";
import { mintToolId, toChatToolId } from "../tools/tool-ids";
import { type InputPart, type ModelTarget, textParts, toContent, toParts } from "./content-out";

/** A call of a round, with its upstream identifier. `key`: "" for one without an identifier. */
type KeyedCall = { key: string; id: string };

const message = (role: "user" | "developer", content: string | InputPart[]): JsonObject => ({
  type: "message",
  role,
  content,
});

const userItems = (parts: InputPart[]): JsonObject[] =>
  parts.length === 0 ? [] : [message("user", toContent(parts, "\n\n"))];

/**
 * Thinking that this vendor sealed goes back with its summary and without an identifier, which the vendor would look up
 * and, since nothing is stored, not find. Unsealed text goes to vendors that want it. Other vendors' thinking is left
 * out.
 */
export function reasoningItems(block: Block, { echoesThinking }: Capabilities): JsonObject[] {
  if (block.type !== "thinking") {
    return [];
  }
  const { text, seal } = block;
  if (seal === null) {
    const content = [{ type: "reasoning_text", text }];
    return echoesThinking && text !== "" ? [{ type: "reasoning", summary: [], content }] : [];
  }
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return seal.origin === "openai" ? [{ type: "reasoning", summary, encrypted_content: seal.data }] : [];
}

const callItem = (block: CallBlock, id: string, { names }: ModelTarget): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: names.toUpstream(block.name),
  arguments: block.arguments || "{}",
});

/** The assistant's items. `salt`: distinct for each round. */
function toSaidItems(
  blocks: Block[],
  salt: number,
  target: ModelTarget,
): { items: JsonObject[]; calls: KeyedCall[] } {
  const items: JsonObject[] = [];
  const calls: KeyedCall[] = [];
  let texts: string[] = [];
  const endText = () => {
    // Blocks of one turn are parts of one text: citations split it in the middle of a sentence.
    const text = texts.join("");
    texts = [];
    if (text !== "") {
      items.push({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
    }
  };
  for (const block of blocks) {
    if (block.type === "text") {
      texts.push(block.text);
      continue;
    }
    endText();
    if (block.type === "call") {
      const key = toChatToolId(block.id);
      const id = key || mintToolId("history", `${salt}.${calls.length}`);
      calls.push({ key, id });
      items.push(callItem(block, id, target));
    } else {
      items.push(...reasoningItems(block, target.capabilities));
    }
  }
  endText();
  // The vendor refuses reasoning without a following item.
  while (items.at(-1)?.type === "reasoning") {
    items.pop();
  }
  return { items, calls };
}

function resultParts({ content, isError }: ResultBlock, target: ModelTarget): InputPart[] {
  const parts = content.flatMap((block) => toParts(block, target));
  return isError ? [...textParts("[tool_error]"), ...parts] : parts;
}

function toOutput(block: ResultBlock, target: ModelTarget): string | InputPart[] {
  const parts = resultParts(block, target);
  return toContent(parts, block.isError ? " " : "\n");
}

/** Writes one result for each call, right after them. */
function toResultItems(calls: KeyedCall[], replies: Turn[], target: ModelTarget) {
  const keys = calls.map(({ key }) => key);
  const results = pairResults(keys, replies, toChatToolId);
  const items = calls.map(({ id }, place) => {
    const block = results.ofCalls[place];
    const output = block ? toOutput(block, target) : NO_RESULT;
    return { type: "function_call_output", call_id: id, output };
  });
  return { items, results };
}

/**
 * The user's parts other than the results of calls. A result without an earlier call would be refused, so it
 * becomes text.
 */
const toReplyParts = (blocks: Block[], { isPaired }: RoundResults, target: ModelTarget): InputPart[] =>
  blocks.flatMap((block) => {
    if (block.type !== "result") {
      return toParts(block, target);
    }
    return isPaired(block) ? [] : [...textParts("[tool_result]"), ...resultParts(block, target)];
  });

function toRoundItems({ turns, replies }: Round, salt: number, target: ModelTarget): JsonObject[] {
  const turn = toSaidItems(blocksOf(turns), salt, target);
  const answered = toResultItems(turn.calls, replies, target);
  const items: JsonObject[] = [...turn.items, ...answered.items];
  let parts: InputPart[] = [];
  for (const reply of replies) {
    if (reply.role !== "system") {
      parts.push(...toReplyParts(reply.blocks, answered.results, target));
      continue;
    }
    const text = joinTexts(reply.blocks);
    if (text !== "") {
      items.push(...userItems(parts), message("developer", text));
      parts = [];
    }
  }
  return [...items, ...userItems(parts)];
}

/**
 * Writes a conversation's turns as items: one result for each call, right after the turn that made it. Throws
 * cannotConvert for blocks that the upstream cannot take.
 */
export function* toItems({ turns }: Conversation, target: ModelTarget): Generator<void, JsonObject[]> {
  const rounds = yield* mapInSteps(splitRounds(turns), (round, salt) => toRoundItems(round, salt, target));
  const items = rounds.flat();
  return items.length === 0 ? cannotConvert(errorMessages.noContent()) : items;
}
