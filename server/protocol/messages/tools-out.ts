import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { servedSearch } from "../pivot/hosted-tools";
import { mapToolNames, type ToolNames } from "../tools/tool-names";
import { writeMark } from "./blocks-out";

const MAX_NAME_CHARACTERS = 128;

/** The tools of a call and its tool choice. `schemaTool`: the tool whose input is the answer. */
type ToolPlan = {
  tools: JsonObject[];
  choice: JsonObject | null;
  names: ToolNames;
  schemaTool: string | null;
};

/** The messages dialect requires an object at the top, even for a tool without arguments. */
const inputSchema = (schema: JsonObject): JsonObject => ({
  properties: {},
  ...schema,
  type: "object",
});

const writeTool = (tool: FunctionTool, takes: Capabilities): JsonObject => ({
  name: tool.name,
  ...(tool.description !== "" && { description: tool.description }),
  input_schema: inputSchema(tool.parameters),
  ...(tool.isStrict && takes.jsonSchema && { strict: true }),
  ...writeMark(tool),
});

/** Defines tools for the history's calls: some upstreams (Bedrock) refuse calls of undefined tools. */
const inferTools = (called: Map<string, Set<string>>): JsonObject[] =>
  [...called].map(([name, argumentNames]) => ({
    name,
    input_schema: {
      type: "object",
      properties: Object.fromEntries([...argumentNames].map((argument) => [argument, {}])),
    },
  }));

const writeSearch = ({ maxUses, place, domains }: HostedTool): JsonObject => ({
  type: "web_search_20250305",
  name: "web_search",
  ...(maxUses !== null && { max_uses: maxUses }),
  ...domains,
  ...(place && { user_location: { ...place, type: "approximate" } }),
});

/** A name that no other tool of the call has. */
function freeName(tools: JsonObject[]): string {
  const usedNames = new Set(tools.map((tool) => tool.name));
  let name = "json_answer";
  while (usedNames.has(name)) {
    name += "_";
  }
  return name;
}

/** A call's tools by their origin: the client, its history, the vendor; and the tool whose input is the answer. */
type ToolGroups = {
  own: JsonObject[];
  inferred: JsonObject[];
  server: JsonObject[];
  schemaTool: string | null;
};

function chooseTool(
  { own, inferred, server, schemaTool }: ToolGroups,
  choice: ToolChoice | null,
): ToolChoice | null {
  if (schemaTool) {
    // With other tools it may not be forced: the model could call no other then (litellm#12463).
    const isAlone = server.length === 0 && (own.length === 0 || choice?.type === "none");
    return isAlone ? { type: "tool", name: schemaTool } : { type: "any" };
  }
  if (own.length > 0) {
    return choice;
  }
  // The model should not call tools that only the history knows.
  return inferred.length > 0 && server.length === 0 ? { type: "none" } : null;
}

/** A choice with the upstream's name for its tool. `isSerial`: one call at a time. */
function writeChoice(choice: ToolChoice | null, names: ToolNames, isSerial: boolean): JsonObject | null {
  const named = choice?.type === "tool" ? { ...choice, name: names.toUpstream(choice.name) } : choice;
  return isSerial && choice?.type !== "none"
    ? { type: "auto", ...named, disable_parallel_tool_use: true }
    : named;
}

/** `called`: the tools of the history. `schema`: the schema of the answer, if the upstream takes one only as a tool. */
export function planTools(
  conversation: Conversation,
  {
    takes,
    called,
    schema,
  }: { takes: Capabilities; called: Map<string, Set<string>>; schema: JsonObject | null },
): ToolPlan {
  const { choice: toolChoice, allowed, isSerial } = conversation;
  const functions = conversation.tools.filter((tool) => tool.type === "function");
  const own = functions
    .filter((tool) => allowed?.has(tool.name) ?? true)
    .map((tool) => writeTool(tool, takes));
  const inferred = own.length > 0 ? [] : inferTools(called);
  const search = servedSearch(conversation, takes);
  const server = search ? [writeSearch(search)] : [];
  const clientTools = [...own, ...inferred];
  const names = mapToolNames(
    [...clientTools.map((tool) => String(tool.name)), ...called.keys()],
    MAX_NAME_CHARACTERS,
  );
  const tools = [
    ...clientTools.map((tool) => ({ ...tool, name: names.toUpstream(String(tool.name)) })),
    ...server,
  ];
  // A client that forces one of its own tools wants no answer yet.
  const isOwnForced = own.length > 0 && (toolChoice?.type === "any" || toolChoice?.type === "tool");
  const schemaTool = schema && !isOwnForced ? freeName(tools) : null;
  if (schema && schemaTool) {
    tools.push({
      name: schemaTool,
      description: "Gives the final answer.",
      input_schema: inputSchema(schema),
    });
  }
  const choice = chooseTool({ own, inferred, server, schemaTool }, toolChoice);
  return {
    tools,
    choice: tools.length > 0 ? writeChoice(choice, names, own.length > 0 && isSerial) : null,
    names,
    schemaTool,
  };
}
