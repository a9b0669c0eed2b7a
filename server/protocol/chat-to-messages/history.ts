import { details } from "@/server/base/details";
import { isServerBlock, isThinking } from "../block-kinds";
import { cannotConvert, optionalFields, optionalList, optionalText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { createInnerReader } from "../json-text";
import { cacheMark, mapParts, type Place, partBlocks, textBlocks, toBlocks } from "./content";
import { signedThinking } from "./signed-thinking";
import { Turns } from "./turns";

/** A message's place, and what reads the JSON in it. */
type CallPlace = Place & { readObject: (text: string) => JsonObject | null };

/** Arguments that are no JSON object are kept: without its call, a result would be an orphan. */
function parseArguments(sent: unknown, { field, readObject }: CallPlace): JsonObject {
  if (isJsonObject(sent)) {
    return sent;
  }
  const text = optionalText(sent, field);
  return text.trim() === "" ? {} : (readObject(text) ?? { _raw: text });
}

function callBlock(call: JsonObject, place: CallPlace): JsonObject {
  const { field } = place;
  const custom = isJsonObject(call.custom) ? call.custom : null;
  const target = custom ?? optionalFields(call.function, `${field}.function`);
  return {
    type: "tool_use",
    id: optionalText(call.id, `${field}.id`),
    name: optionalText(target.name, `${field}.name`),
    input: custom
      ? { input: optionalText(custom.input, `${field}.custom.input`) }
      : parseArguments(target.arguments, { ...place, field: `${field}.arguments` }),
    ...cacheMark(call),
  };
}

function assistantPart(part: unknown, place: CallPlace): JsonObject[] {
  if (!isJsonObject(part)) {
    return partBlocks(part, place);
  }
  if (part.type === "tool_use") {
    return [callBlock({ ...part, function: { name: part.name, arguments: part.input } }, place)];
  }
  if (isThinking(part)) {
    return [signedThinking(part)].filter((block) => block !== null);
  }
  return part.type === "reasoning" || isServerBlock(part) ? [] : partBlocks(part, place);
}

function assistantBlocks(message: JsonObject, place: CallPlace): JsonObject[] {
  if (isJsonObject(message.audio)) {
    return cannotConvert(details.notConvertible(`${place.field}.audio`));
  }
  const { field } = place;
  const said = mapParts(message.content ?? "", `${field}.content`, (part, at) =>
    assistantPart(part, { ...place, field: at }),
  );
  const known = new Set(said.map((block) => block.id).filter(Boolean));
  const calls = optionalList(message.tool_calls, `${field}.tool_calls`).map((call, index) =>
    callBlock(call, { ...place, field: `${field}.tool_calls[${index}]` }),
  );
  const legacy = message.function_call
    ? [callBlock({ function: message.function_call }, { ...place, field: `${field}.function_call` })]
    : [];
  const restored = objects(message.thinking_blocks)
    .map(signedThinking)
    .filter((block) => block !== null);
  return [
    // In front, whatever stood between them: the list does not say where in the text they were (docs/decisions/0008).
    ...restored,
    ...(restored.length > 0 ? said.filter((block) => signedThinking(block) === null) : said),
    ...textBlocks(optionalText(message.refusal, `${field}.refusal`)),
    // A client may send a call in both forms (litellm#23510).
    ...[...calls, ...legacy].filter((call) => !known.has(call.id)),
  ];
}

/** A tool may have nothing to say; what it says as an object is kept as JSON. */
function resultContent({ content }: JsonObject, place: Place): string | JsonObject[] {
  if (isJsonObject(content)) {
    return JSON.stringify(content);
  }
  const blocks = toBlocks(content ?? "", place);
  return typeof content === "string" && blocks.length > 0 ? content : blocks;
}

function resultBlock(message: JsonObject, place: Place): JsonObject {
  const said = resultContent(message, place);
  return {
    type: "tool_result",
    ...(said.length > 0 && { content: said }),
    ...(message.is_error === true && { is_error: true }),
    ...cacheMark(message),
  };
}

/** A mark on a message is one on its last block. */
function markLast(blocks: JsonObject[], message: JsonObject): JsonObject[] {
  const last = blocks.at(-1);
  return last ? [...blocks.slice(0, -1), { ...cacheMark(message), ...last }] : [];
}

function addUserMessage(turns: Turns, message: JsonObject, place: Place): void {
  const { takes } = place;
  const blocks = mapParts(message.content, `${place.field}.content`, (part, field) => {
    if (isJsonObject(part) && part.type === "tool_result") {
      const id = optionalText(part.tool_use_id, `${field}.tool_use_id`);
      turns.addResult(id, resultBlock(part, { field: `${field}.content`, takes }));
      return [];
    }
    return partBlocks(part, { field, takes });
  });
  turns.addUser(markLast(blocks, message));
}

function systemBlocks(message: JsonObject, place: Place): JsonObject[] {
  const blocks = toBlocks(message.content, place);
  return blocks.every((block) => block.type === "text")
    ? markLast(blocks, message)
    : cannotConvert(details.onlyText(place.field));
}

/**
 * A chat conversation as the messages dialect has it: every system and developer message in front, in order
 * (one-api#1135), the rest as turns. Throws cannotConvert for what has no counterpart there.
 */
export function readHistory(
  messages: JsonObject[],
  takes: Place["takes"],
): { system: JsonObject[]; turns: Turns } {
  const system: JsonObject[][] = [];
  const turns = new Turns();
  const readObject = createInnerReader();
  for (const [index, message] of messages.entries()) {
    const place = { field: `messages[${index}]`, takes };
    const content = { field: `${place.field}.content`, takes };
    switch (message.role) {
      case "system":
      case "developer":
        system.push(systemBlocks(message, content));
        break;
      case "user":
        addUserMessage(turns, message, place);
        break;
      case "assistant":
        turns.addAssistant(markLast(assistantBlocks(message, { ...place, readObject }), message));
        break;
      case "tool":
      case "function":
        turns.addResult(
          optionalText(message.tool_call_id, `${place.field}.tool_call_id`),
          resultBlock(message, content),
        );
        break;
      default:
        cannotConvert(details.valueNotConvertible(`${place.field}.role`, textOf(message.role)));
    }
  }
  return { system: system.flat(), turns };
}
