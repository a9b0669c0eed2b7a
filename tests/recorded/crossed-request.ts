/** Requests in a client's own dialect for recordings of another one: the answer is what gets translated. */
import type { JsonObject, Recording } from "./corpus";
import { fields, list } from "./json";

type Tool = { name: unknown; description: unknown; schema: unknown };

/** The tools of a recorded request that its client runs itself; a vendor's own tools have no schema. */
export function toolsOf({ request }: Recording): Tool[] {
  const tools = list(request.tools);
  const ofChat = [...tools.map((tool) => fields(tool.function)), ...list(request.functions)];
  const own = [
    ...ofChat.filter(({ name }) => name !== undefined),
    ...tools.filter(({ input_schema: schema }) => schema !== undefined),
    ...tools.filter(({ type, name }) => type === "function" && name !== undefined),
  ];
  return own.map(({ name, description, input_schema: schema, parameters }) => ({
    ...{ name, description, schema: schema ?? parameters },
  }));
}

const messages = [{ role: "user", content: "Say something." }];
const noParameters = { type: "object", properties: {} };

export function asMessagesRequest(recording: Recording, model: string, isStream: boolean): JsonObject {
  const tools = toolsOf(recording).map(({ name, description, schema }) => ({
    name,
    ...(description ? { description } : {}),
    input_schema: schema ?? noParameters,
  }));
  return { model, max_tokens: 1_000, messages, stream: isStream, ...(tools.length > 0 && { tools }) };
}

export function asChatRequest(recording: Recording, model: string, isStream: boolean): JsonObject {
  const tools = toolsOf(recording).map(({ name, description, schema }) => ({
    type: "function",
    function: { name, ...(description ? { description } : {}), parameters: schema ?? noParameters },
  }));
  return { model, max_tokens: 1_000, messages, stream: isStream, ...(tools.length > 0 && { tools }) };
}

/** The names of the tools in an upstream's request, in any dialect. */
export const offeredNames = (request: JsonObject): unknown[] =>
  list(request.tools).map((tool) => fields(tool.function).name ?? tool.name);

export const toolNames = (recording: Recording): unknown[] => toolsOf(recording).map(({ name }) => name);

export function asResponsesRequest(recording: Recording, model: string, isStream: boolean): JsonObject {
  const tools = toolsOf(recording).map(({ name, description, schema }) => ({
    type: "function",
    name,
    ...(description ? { description } : {}),
    parameters: schema ?? noParameters,
    strict: false,
  }));
  const limits = { max_output_tokens: 1_000, stream: isStream };
  return { model, input: "Say something.", ...limits, ...(tools.length > 0 && { tools }) };
}
