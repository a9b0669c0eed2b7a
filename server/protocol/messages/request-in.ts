import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isEffort } from "../effort";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type PrintInner, readMessages } from "../json/print";
import {
  type AnswerFormat,
  type Conversation,
  splitSystem,
  type ThinkingWish,
  type Turn,
} from "../pivot/conversation";
import { readMark } from "../prompt-cache";
import { readScalars } from "../scalars";
import { inputsIn, readAssistantBlocks, readSystem, readUserBlocks } from "./blocks-in";
import { readTools } from "./tools-in";

/** Refuses fields that no other dialect has and that clients depend on. */
function refuseUnconvertible(fields: JsonObject): void {
  if (fields.max_tokens === 0) {
    cannotConvert(errorMessages.noCacheWarming());
  }
  optionalText(optionalFields(fields.metadata, "metadata").user_id, "metadata.user_id");
}

function readTurn({ role, content }: JsonObject, print: PrintInner): Turn {
  switch (role) {
    case "assistant":
      return { role, blocks: readAssistantBlocks(content, print) };
    case "system":
      return { role, blocks: readSystem(content) };
    default:
      return { role: "user", blocks: readUserBlocks(content) };
  }
}

/** Reads `output_config.format`, or its older name. */
function readFormat(config: JsonObject, older: unknown): AnswerFormat | null {
  const format = config.format ?? older;
  if (format === undefined || format === null) {
    return null;
  }
  return isJsonObject(format) && format.type === "json_schema" && isJsonObject(format.schema)
    ? { type: "schema", schema: format.schema }
    : cannotConvert(errorMessages.schemaForm());
}

function readThinking(fields: JsonObject, config: JsonObject): ThinkingWish | null {
  const { type: rawType, budget_tokens, display } = optionalFields(fields.thinking, "thinking");
  const type = optionalText(rawType, "thinking.type");
  const effort = isEffort(config.effort) ? config.effort : null;
  if (type === "" && effort === null) {
    return null;
  }
  const switched = type === "disabled" ? "off" : "on";
  return {
    mode: type === "" ? null : switched,
    effort,
    budget: type === "enabled" && typeof budget_tokens === "number" ? budget_tokens : null,
    display: textOf(display) || null,
  };
}

/** Reads a messages request (its form already checked). Throws cannotConvert for parts that no other dialect has. */
export function* readConversation(fields: JsonObject): Generator<void, Conversation> {
  refuseUnconvertible(fields);
  const config = optionalFields(fields.output_config, "output_config");
  const stops = Array.isArray(fields.stop_sequences) ? fields.stop_sequences : [];
  const messages = objects(fields.messages);
  const { system, turns } = splitSystem(
    yield* readMessages(messages, ({ content }) => inputsIn(content), readTurn),
  );
  return {
    isStream: fields.stream === true,
    system: [...readSystem(fields.system), ...system],
    turns,
    isPrefill: messages.at(-1)?.role === "assistant",
    ...readTools(fields),
    format: readFormat(config, fields.output_format),
    thinking: readThinking(fields, config),
    stops: stops.filter((text) => typeof text === "string"),
    stopsField: "stop_sequences",
    scalars: readScalars("messages", fields),
    cache: readMark(fields).mark ?? null,
  };
}
