import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { freeTextDescription, freeTextParameters } from "../pivot/free-text";

/** A tool in the client's terms. */
type ClientTool = { name: string; namespace: string | null; isFreeText: boolean };

/** The client's tools, by the pivot's name of each. */
export type ClientTools = {
  tools: FunctionTool[];
  /** The description of each namespace, if it has one. */
  namespaces: ReadonlyMap<string, string>;
  /** The pivot's name of a client's tool, with or without a namespace. */
  nameOf: (name: string, namespace: string | null) => string;
  /** The client's name of the tool. */
  named: (name: string) => ClientTool;
};

/** Far longer than any vendor takes. */
const MAX_NAME_CHARACTERS = 256;

function readTool(tool: JsonObject, name: string, field: string): FunctionTool {
  const description = optionalText(tool.description, `${field}.description`);
  if (tool.type === "custom") {
    const format = optionalFields(tool.format, `${field}.format`);
    const text = freeTextDescription(description, format);
    return { type: "function", name, description: text, parameters: freeTextParameters, isStrict: false };
  }
  return {
    type: "function",
    name,
    description,
    parameters: optionalFields(tool.parameters, `${field}.parameters`),
    // The default is true in this dialect. Other vendors refuse schemas that do not fit strict mode, so only an
    // explicit true counts.
    isStrict: tool.strict === true,
  };
}

/** Reads functions, custom tools, and the tools of namespaces (Codex). */
export function readClientTools(fields: JsonObject, items: JsonObject[]): ClientTools {
  const tools = new Map<string, FunctionTool>();
  const byName = new Map<string, ClientTool>();
  const names = new Map<string, string>();
  const copies = new Map<string, number>();
  const namespaces = new Map<string, string>();
  const freeName = (base: string) => {
    const copy = (copies.get(base) ?? 0) + 1;
    copies.set(base, copy);
    return copy === 1 && !byName.has(base) ? base : `${base}__${copy}_${byName.size}`;
  };
  const key = (name: string, namespace: string | null) => JSON.stringify([namespace, name]);
  const add = (tool: JsonObject, namespace: string | null, field: string) => {
    const name = textOf(tool.name);
    if (name === "") {
      cannotConvert(errorMessages.lacksName(field));
    }
    if (name.length > MAX_NAME_CHARACTERS || (namespace?.length ?? 0) > MAX_NAME_CHARACTERS) {
      cannotConvert(errorMessages.longName(field, MAX_NAME_CHARACTERS));
    }
    const own = key(name, namespace);
    const pivot = names.get(own) ?? freeName(namespace === null ? name : `${namespace}__${name}`);
    names.set(own, pivot);
    byName.set(pivot, { name, namespace, isFreeText: tool.type === "custom" });
    // If a tool is declared again, as Codex does in each turn, the last declaration counts.
    tools.set(pivot, readTool(tool, pivot, field));
  };
  const addAll = (list: unknown, namespace: string | null, place: string) => {
    for (const [index, tool] of objects(list).entries()) {
      const field = `${place}[${index}]`;
      if (tool.type === "namespace" && namespace === null) {
        const name = textOf(tool.name) || cannotConvert(errorMessages.lacksName(field));
        const text = optionalText(tool.description, `${field}.description`);
        // A later declaration without a description keeps the earlier one.
        namespaces.set(name, text || (namespaces.get(name) ?? ""));
        addAll(tool.tools, name, `${field}.tools`);
      } else if (tool.type === "function" || tool.type === "custom") {
        add(tool, namespace, field);
      }
    }
  };
  addAll(fields.tools, null, "tools");
  for (const [index, item] of items.entries()) {
    // Codex adds tools in the middle of a conversation.
    if (item.type === "additional_tools" || item.type === "tool_search_output") {
      addAll(item.tools, null, `input[${index}].tools`);
    }
  }
  return {
    tools: [...tools.values()],
    namespaces,
    // A tool that only the history knows also gets a distinct name: two namespaces may have tools of one name.
    nameOf: (name, namespace) =>
      names.get(key(name, namespace)) ?? (namespace === null ? name : `${namespace}__${name}`),
    named: (name) => byName.get(name) ?? { name, namespace: null, isFreeText: false },
  };
}

const isClients = ({ type }: JsonObject): boolean =>
  type === "function" || type === "custom" || type === "namespace";

/** A web search has many type names, and a tool choice uses another one than the tool. */
const kindOf = (type: unknown): string => {
  const label = wordOf(type);
  return label.startsWith("web_search") ? "web_search" : label;
};

const domainsFields = ["allowed_domains", "blocked_domains"] as const;

const isNamed = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/** The restriction of a search to some addresses. */
function readDomains(tool: JsonObject, field: string): Pick<HostedTool, "domainsField" | "domains"> {
  const filters = optionalFields(tool.filters, `${field}.filters`);
  const named = domainsFields.filter((name) => isNamed(filters[name]));
  const [first] = named;
  return {
    domainsField: first === undefined ? null : `filters.${first}`,
    domains: Object.fromEntries(named.map((name) => [name, filters[name]])),
  };
}

const kinds = new Map<string, HostedTool["kind"]>([
  ["web_search", "web_search"],
  ["mcp", "mcp"],
]);

/**
 * A vendor's tool. Agents send them by habit: if no upstream of the route has one, the call goes out without it, unless
 * the call forces it. An MCP server is never named by habit.
 */
function readHosted(tool: JsonObject, field: string, forced: string | null): HostedTool {
  const label = wordOf(tool.type);
  const name = kindOf(tool.type);
  return {
    type: "hosted",
    kind: kinds.get(name) ?? "other",
    name,
    label,
    isOptional: forced !== name && name !== "mcp",
    maxUses: null,
    place: isJsonObject(tool.user_location) ? tool.user_location : null,
    ...readDomains(tool, field),
  };
}

const words = new Map<unknown, ToolChoice>([
  ["auto", { type: "auto" }],
  ["none", { type: "none" }],
  ["required", { type: "any" }],
]);

const nameIn = (target: JsonObject, clientTools: ClientTools): string =>
  clientTools.nameOf(textOf(target.name), textOf(target.namespace) || null);

function readChoice(value: unknown, clientTools: ClientTools): Pick<Conversation, "choice" | "allowed"> {
  if (value === undefined || value === null) {
    return { choice: null, allowed: null };
  }
  const choice = words.get(value);
  if (choice) {
    return { choice, allowed: null };
  }
  if (!isJsonObject(value)) {
    return cannotConvert(errorMessages.valueNotConvertible("tool_choice", wordOf(value)));
  }
  if (value.type === "allowed_tools") {
    const allowed = objects(value.tools).filter(isClients);
    return {
      choice: { type: value.mode === "required" ? "any" : "auto" },
      allowed: new Set(allowed.map((tool) => nameIn(tool, clientTools))),
    };
  }
  return { choice: { type: "tool", name: forcedName(value, clientTools) }, allowed: null };
}

/** Throws cannotConvert for a missing function: the upstream would be told to call it. */
function forcedName(choice: JsonObject, clientTools: ClientTools): string {
  if (choice.type !== "function" && choice.type !== "custom") {
    return kindOf(choice.type);
  }
  const name = nameIn(choice, clientTools);
  return clientTools.tools.some((tool) => tool.name === name)
    ? name
    : cannotConvert(errorMessages.valueNotConvertible("tool_choice.name", wordOf(choice.name)));
}

/**
 * The vendor's tools that the model may use: none if the choice allows none, and only the listed ones if there is a
 * list.
 */
function readHostedTools(fields: JsonObject): HostedTool[] {
  const { tool_choice: choice } = fields;
  const named = isJsonObject(choice) ? choice : {};
  const isForced = !["function", "custom", "allowed_tools", undefined].includes(named.type as string);
  const forced = isForced ? kindOf(named.type) : null;
  const hosted = objects(fields.tools).flatMap((tool, index) =>
    isClients(tool) ? [] : [readHosted(tool, `tools[${index}]`, forced)],
  );
  if (forced !== null && hosted.every(({ name }) => name !== forced)) {
    return cannotConvert(errorMessages.valueNotConvertible("tool_choice.type", wordOf(named.type)));
  }
  if (choice === "none") {
    return [];
  }
  const listed = new Set(objects(named.tools).map(({ type }) => kindOf(type)));
  return named.type === "allowed_tools" ? hosted.filter(({ name }) => listed.has(name)) : hosted;
}

/**
 * Adds a namespace's description to the first callable function of the namespace, since other dialects have no place
 * for it. Not to each function: the call would become far larger than the input that its hold covers.
 */
function describeNamespaces(clientTools: ClientTools, allowed: Set<string> | null): FunctionTool[] {
  const describedNamespaces = new Set<string>();
  return clientTools.tools.map((tool) => {
    const { namespace } = clientTools.named(tool.name);
    const text = namespace === null ? "" : (clientTools.namespaces.get(namespace) ?? "");
    if (
      namespace === null ||
      text === "" ||
      describedNamespaces.has(namespace) ||
      allowed?.has(tool.name) === false
    ) {
      return tool;
    }
    describedNamespaces.add(namespace);
    const described = [`All of "${namespace}": ${text}`, tool.description].filter((part) => part !== "");
    return { ...tool, description: described.join("\n\n") };
  });
}

/**
 * Reads `tools`, `tool_choice` and `parallel_tool_calls`. Throws cannotConvert for a choice without a matching tool.
 */
export function readTools(
  fields: JsonObject,
  clientTools: ClientTools,
): Pick<Conversation, "tools" | "choice" | "allowed" | "isSerial"> {
  const chosen = readChoice(fields.tool_choice, clientTools);
  return {
    ...chosen,
    tools: [...describeNamespaces(clientTools, chosen.allowed), ...readHostedTools(fields)],
    isSerial: fields.parallel_tool_calls === false,
  };
}
