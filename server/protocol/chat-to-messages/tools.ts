import { details } from "@/server/base/details";
import { cannotConvert, optionalFields, optionalList } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, wordOf } from "../fields";
import { mapToolNames, type ToolNames } from "../tool-names";
import { cacheMark } from "./content";
import { readToolChoice, type ToolChoice } from "./tool-choice";

const MAX_NAME_CHARACTERS = 128;

/** The tools of a call, and how the model is asked to use them. `schemaTool`: the one whose input is the answer. */
type ToolPlan = {
  tools: JsonObject[];
  choice: JsonObject | null;
  names: ToolNames;
  schemaTool: string | null;
  usesLegacyFunctions: boolean;
};

/** The messages dialect wants an object at the top, even where a tool takes nothing. */
const inputSchema = (schema: JsonObject): JsonObject => ({
  properties: {},
  ...schema,
  type: "object",
});

function readTool(tool: JsonObject, field: string, takes: Capabilities): JsonObject {
  const isFlat = !isJsonObject(tool.function);
  // Cursor sends tools in the messages dialect's form, others leave out the level of `function`.
  const isKnown = ["function", "custom", undefined, null].includes(tool.type as string) && !tool.custom;
  const target: JsonObject = isJsonObject(tool.function) ? tool.function : tool;
  if (!isKnown || (isFlat && tool.type === "custom" && !tool.input_schema)) {
    return cannotConvert(details.valueNotConvertible(`${field}.type`, wordOf(tool.type)));
  }
  if (typeof target.name !== "string" || target.name === "") {
    return cannotConvert(details.lacksName(field));
  }
  return {
    name: target.name,
    ...(typeof target.description === "string" && { description: target.description }),
    input_schema: inputSchema(
      optionalFields(target.input_schema ?? target.parameters, `${field}.parameters`),
    ),
    ...(target.strict === true && takes.jsonSchema && { strict: true }),
    ...cacheMark(tool),
  };
}

/** Some upstreams (Bedrock) refuse calls in the history of which no tool is defined. */
const inferTools = (called: Map<string, Set<string>>): JsonObject[] =>
  [...called].map(([name, given]) => ({
    name,
    input_schema: {
      type: "object",
      properties: Object.fromEntries([...given].map((argument) => [argument, {}])),
    },
  }));

const searchUses = new Map<unknown, number>([
  ["low", 1],
  ["high", 10],
]);
const USUAL_SEARCH_USES = 5;

function webSearch(wanted: unknown, takes: Capabilities): JsonObject[] {
  const options = optionalFields(wanted, "web_search_options");
  if (!wanted || !takes.webSearch) {
    return [];
  }
  const location = isJsonObject(options.user_location) ? options.user_location : {};
  return [
    {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: searchUses.get(options.search_context_size) ?? USUAL_SEARCH_USES,
      ...(isJsonObject(location.approximate) && {
        user_location: { ...location.approximate, type: "approximate" },
      }),
    },
  ];
}

/** A name that no other tool of the call has. */
function freeName(tools: JsonObject[]): string {
  const taken = new Set(tools.map((tool) => tool.name));
  let name = "json_answer";
  while (taken.has(name)) {
    name += "_";
  }
  return name;
}

function defineTools(
  fields: JsonObject,
  takes: Capabilities,
): { tools: JsonObject[]; usesLegacyFunctions: boolean } {
  const tools = optionalList(fields.tools, "tools");
  const functions = tools.length > 0 ? [] : optionalList(fields.functions, "functions");
  return {
    tools: [
      ...tools.map((tool, index) => readTool(tool, `tools[${index}]`, takes)),
      ...functions.map((target, index) => readTool({ function: target }, `functions[${index}]`, takes)),
    ],
    usesLegacyFunctions: functions.length > 0,
  };
}

/**
 * The groups that a call's tools come from: the client, its history, the vendor; and the one that stands for the
 * answer.
 */
type ToolGroups = {
  own: JsonObject[];
  inferred: JsonObject[];
  server: JsonObject[];
  schemaTool: string | null;
};

function chooseTool(
  { own, inferred, server, schemaTool }: ToolGroups,
  asked: ToolChoice | null,
): ToolChoice | null {
  if (schemaTool) {
    // Beside others it may not be forced: the model could call no other then (litellm#12463).
    const isAlone = server.length === 0 && (own.length === 0 || asked?.type === "none");
    return isAlone ? { type: "tool", name: schemaTool } : { type: "any" };
  }
  if (own.length > 0) {
    return asked;
  }
  // A tool that only the history knows is not to be called again.
  return inferred.length > 0 && server.length === 0 ? { type: "none" } : null;
}

/** A choice with the upstream's name for its tool, one call at a time if so wanted. */
function writeChoice(choice: ToolChoice | null, names: ToolNames, isSerial: boolean): JsonObject | null {
  const named = choice?.type === "tool" ? { ...choice, name: names.toUpstream(choice.name) } : choice;
  return isSerial && choice?.type !== "none"
    ? { type: "auto", ...named, disable_parallel_tool_use: true }
    : named;
}

/**
 * `called`: the tools of the history. `schema`: what the answer shall fit, for an upstream that takes it only as a
 * tool. Throws cannotConvert for tools that are no functions.
 */
export function planTools(
  fields: JsonObject,
  {
    takes,
    called,
    schema,
  }: { takes: Capabilities; called: Map<string, Set<string>>; schema: JsonObject | null },
): ToolPlan {
  const { tools: defined, usesLegacyFunctions } = defineTools(fields, takes);
  const { choice: asked, allowed, isSerial } = readToolChoice(fields);
  const own = defined.filter((tool) => allowed?.has(String(tool.name)) ?? true);
  const inferred = own.length > 0 ? [] : inferTools(called);
  const server = webSearch(fields.web_search_options, takes);
  const known = [...own, ...inferred];
  const names = mapToolNames(
    [...known.map((tool) => String(tool.name)), ...called.keys()],
    MAX_NAME_CHARACTERS,
  );
  const tools = [...known.map((tool) => ({ ...tool, name: names.toUpstream(String(tool.name)) })), ...server];
  // A client that forces one of its own tools wants no answer yet.
  const isOwnForced = own.length > 0 && (asked?.type === "any" || asked?.type === "tool");
  const schemaTool = schema && !isOwnForced ? freeName(tools) : null;
  if (schema && schemaTool) {
    tools.push({
      name: schemaTool,
      description: "Gives the final answer.",
      input_schema: inputSchema(schema),
    });
  }
  const choice = chooseTool({ own, inferred, server, schemaTool }, asked);
  const wantsSerial = own.length > 0 && (isSerial || usesLegacyFunctions);
  return {
    tools,
    choice: tools.length > 0 ? writeChoice(choice, names, wantsSerial) : null,
    names,
    schemaTool,
    usesLegacyFunctions,
  };
}
