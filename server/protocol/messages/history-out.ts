import { mapInSteps, restsBehind } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import type { Conversation } from "../pivot/conversation";
import { readInputs } from "../tools/call-arguments";
import { type MediaSupport, writeResult, writeSaid, writeShown } from "./blocks-out";
import { Turns } from "./turns";

/**
 * Writes a conversation in the messages dialect: all system text first, in order (one-api#1135), the rest as turns.
 * Throws cannotConvert for content that the upstream cannot take.
 */
export function* writeHistory(
  conversation: Conversation,
  takes: MediaSupport,
): Generator<void, { system: JsonObject[]; turns: Turns }> {
  const system: JsonObject[][] = [conversation.system.flatMap((block) => writeShown(block, takes))];
  const turns = new Turns();
  const context = { takes, inputs: yield* readInputs(conversation.turns) };
  for (const [index, { role, blocks }] of conversation.turns.entries()) {
    if (restsBehind(index)) {
      yield;
    }
    if (role === "system") {
      system.push(blocks.flatMap((block) => writeShown(block, takes)));
    } else if (role === "assistant") {
      turns.addAssistant((yield* mapInSteps(blocks, (block) => writeSaid(block, context))).flat());
    } else {
      for (const [place, block] of blocks.entries()) {
        if (restsBehind(place)) {
          yield;
        }
        if (block.type === "result") {
          turns.addResult(block.callId, writeResult(block, takes));
        } else {
          turns.addUser(writeShown(block, takes));
        }
      }
    }
  }
  return { system: system.flat(), turns };
}
