import { type Fields, isFields, objects } from "../fields";
import { cacheMark, type Place, partBlocks, refuse, textBlocks, toBlocks } from "./content";
import { signedThinking } from "./signed-thinking";
import { Turns } from "./turns";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Arguments that are no JSON object are kept: without its call, a result would be an orphan. */
function parseArguments(sent: unknown): Fields {
  if (isFields(sent)) {
    return sent;
  }
  const text = textOf(sent);
  if (text.trim() === "") {
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : { _raw: text };
  } catch {
    return { _raw: text };
  }
}

function callBlock(call: Fields): Fields {
  const custom = isFields(call.custom) ? call.custom : null;
  const target = isFields(call.function) ? call.function : {};
  return {
    type: "tool_use",
    id: textOf(call.id),
    name: textOf(custom ? custom.name : target.name),
    input: custom ? { input: textOf(custom.input) } : parseArguments(target.arguments),
    ...cacheMark(call),
  };
}

/** What the messages dialect's own servers did: nothing to tell the model again, and refused without their results. */
const isServerBlock = (type: unknown) =>
  typeof type === "string" && (type.endsWith("_tool_use") || type.endsWith("_tool_result"));

function assistantPart(part: unknown, place: Place): Fields[] {
  if (!isFields(part)) {
    return textBlocks(part);
  }
  if (part.type === "tool_use") {
    return [callBlock({ ...part, function: { name: part.name, arguments: part.input } })];
  }
  if (part.type === "thinking" || part.type === "redacted_thinking") {
    return [signedThinking(part)].filter((block) => block !== null);
  }
  return part.type === "reasoning" || isServerBlock(part.type) ? [] : partBlocks(part, place);
}

function assistantBlocks(message: Fields, place: Place): Fields[] {
  if (isFields(message.audio)) {
    return refuse(`${place.field}.audio`, "无法转换到该模型");
  }
  const { content } = message;
  const said = Array.isArray(content)
    ? content.flatMap((part, index) =>
        assistantPart(part, { ...place, field: `${place.field}.content[${index}]` }),
      )
    : textBlocks(content);
  const known = new Set(said.map((block) => block.id).filter(Boolean));
  const legacy: Fields[] = isFields(message.function_call) ? [{ function: message.function_call }] : [];
  // A client may send a call in both forms (litellm#23510).
  const calls = [...objects(message.tool_calls), ...legacy].filter((call) => !known.has(call.id));
  const restored = objects(message.thinking_blocks)
    .map(signedThinking)
    .filter((block) => block !== null);
  return [
    ...restored,
    ...(restored.length > 0 ? said.filter((block) => signedThinking(block) === null) : said),
    ...textBlocks(message.refusal),
    ...calls.map(callBlock),
  ];
}

function resultBlock(message: Fields, place: Place): Fields {
  const { content } = message;
  const isText = !Array.isArray(content) && !isFields(content);
  const text = isFields(content) ? JSON.stringify(content) : textOf(content);
  const said = isText || isFields(content) ? text : toBlocks(content, place);
  const isEmpty = typeof said === "string" ? said.trim() === "" : said.length === 0;
  return {
    type: "tool_result",
    ...(!isEmpty && { content: said }),
    ...(message.is_error === true && { is_error: true }),
    ...cacheMark(message),
  };
}

/** A mark on a message is one on its last block. */
function markLast(blocks: Fields[], message: Fields): Fields[] {
  const last = blocks.at(-1);
  return last ? [...blocks.slice(0, -1), { ...cacheMark(message), ...last }] : [];
}

function addUserMessage(turns: Turns, message: Fields, place: Place): void {
  const parts: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
  const blocks = parts.flatMap((part, index) => {
    const at = { ...place, field: `${place.field}.content[${index}]` };
    if (isFields(part) && part.type === "tool_result") {
      turns.addResult(textOf(part.tool_use_id), resultBlock(part, { ...at, field: `${at.field}.content` }));
      return [];
    }
    return partBlocks(part, at);
  });
  turns.addUser(markLast(blocks, message));
}

function systemBlocks(message: Fields, place: Place): Fields[] {
  const blocks = toBlocks(message.content, place);
  return blocks.every((block) => block.type === "text")
    ? markLast(blocks, message)
    : refuse(place.field, "只能包含文本");
}

/**
 * A chat conversation as the messages dialect has it: every system and developer message in front, in order
 * (one-api#1135), the rest as turns. Throws cannotConvert for what has no counterpart there.
 */
export function readHistory(messages: Fields[], takes: Place["takes"]): { system: Fields[]; turns: Turns } {
  const system: Fields[] = [];
  const turns = new Turns();
  for (const [index, message] of messages.entries()) {
    const place = { field: `messages[${index}]`, takes };
    const content = { field: `${place.field}.content`, takes };
    switch (message.role) {
      case "system":
      case "developer":
        system.push(...systemBlocks(message, content));
        break;
      case "user":
        addUserMessage(turns, message, place);
        break;
      case "assistant":
        turns.addAssistant(markLast(assistantBlocks(message, place), message));
        break;
      case "tool":
      case "function":
        turns.addResult(textOf(message.tool_call_id), resultBlock(message, content));
        break;
      default:
        refuse(`${place.field}.role`, `的值 ${message.role} 无法转换到该模型`);
    }
  }
  return { system, turns };
}
