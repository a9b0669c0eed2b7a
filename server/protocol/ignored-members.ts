/**
 * The members of a client's request that a translation did not carry, found by comparing the request with the body that
 * the upstream gets. So no writer has to report its losses.
 */
import type { IgnoredMember, IgnoredReason } from "@/server/base/ignored";
import { isJsonObject, type JsonObject } from "./fields";
import type { Conversation } from "./pivot/conversation";
import type { ClientCall, UpstreamCall } from "./pivot/dialect";
import {
  type ClientDialect,
  namesIn,
  type ScalarMember,
  type ScalarName,
  scalarEntries,
} from "./scalar-members";
import { hasWireValue, valueAt } from "./scalars";
import type { UpstreamModel } from "./upstream-plan";

type Sent = Pick<UpstreamCall, "operation" | "body"> & Pick<UpstreamModel, "dialect" | "capabilities">;

/** Members that the translation carries by hand or refuses, or that the gateway itself acts on. */
const byHand: Record<ClientDialect, string> = {
  chat: `model messages stream stream_options usage tools tool_choice functions function_call web_search_options
    response_format modalities audio`,
  completions: "model prompt suffix stream stream_options usage echo best_of logprobs",
  messages: `model messages system stream usage tools tool_choice.type tool_choice.name mcp_servers output_format
    output_config.format thread`,
  responses: `model input instructions stream stream_options usage store background previous_response_id conversation
    prompt tools tool_choice text.format reasoning.summary reasoning.generate_summary client_metadata`,
  gemini: `model contents systemInstruction tools toolConfig cachedContent generationConfig.responseMimeType
    generationConfig.responseSchema generationConfig.responseJsonSchema generationConfig.responseModalities`,
};

/** A part of a call's structure that an upstream may lack although the call goes out. */
type Structure = {
  names: Partial<Record<ClientDialect, readonly string[]>>;
  isSent: (sent: Sent, conversation: Conversation) => boolean;
  /** Whether the upstream does what the client wants anyway. */
  isMoot?: (conversation: Conversation, sent: Sent, client: ClientDialect) => boolean;
};

const inBody =
  (...names: string[]) =>
  ({ body }: Sent) =>
    names.some((name) => valueAt(body, name) !== undefined);

const structures: Structure[] = [
  {
    names: {
      chat: ["reasoning_effort", "thinking"],
      messages: ["thinking", "output_config.effort"],
      responses: ["reasoning.effort"],
      gemini: ["generationConfig.thinkingConfig"],
    },
    isSent: inBody(
      ...["reasoning_effort", "thinking", "enable_thinking", "chat_template_kwargs"],
      ...["output_config.effort", "reasoning", "generationConfig.thinkingConfig"],
    ),
    isMoot: ({ thinking }, { capabilities }, client) =>
      // Google's clients may wish only to see no thoughts.
      thinking === null ? client === "gemini" : thinking.mode === "off" && capabilities.thinking === "none",
  },
  {
    names: {
      ...{ chat: ["parallel_tool_calls"], responses: ["parallel_tool_calls"] },
      messages: ["tool_choice.disable_parallel_tool_use"],
    },
    isSent: inBody("parallel_tool_calls", "tool_choice.disable_parallel_tool_use"),
    isMoot: ({ isSerial, tools, choice }) => !isSerial || tools.length === 0 || choice?.type === "none",
  },
  {
    names: {
      ...{ chat: ["logprobs", "top_logprobs"], responses: ["include", "top_logprobs"] },
      gemini: ["generationConfig.responseLogprobs", "generationConfig.logprobs"],
    },
    isSent: ({ dialect }) => dialect !== "messages",
    isMoot: ({ topLogprobs }) => topLogprobs === undefined,
  },
  {
    names: { chat: ["cache_control"], messages: ["cache_control"] },
    isSent: ({ dialect, capabilities: { promptCache } }, { cache }) =>
      cache !== null && promptCache !== "none" && (dialect === "chat" || dialect === "messages"),
  },
];

/** The reason for which a member is lost. null: it is not. */
type LossOf = (value: unknown, call: { conversation: Conversation; sent: Sent }) => IgnoredReason | null;

const lossOfRow =
  (row: ScalarName, member: ScalarMember): LossOf =>
  (value, { conversation: { scalars }, sent }) => {
    const [name] = namesIn(member, sent.dialect);
    const read = member.read?.(value) ?? null;
    if (!member.read || (read !== null && member.isMoot?.(read, sent.dialect))) {
      return null;
    }
    if (name === undefined) {
      return "dialect";
    }
    const wire = valueAt(sent.body, name);
    if (wire === undefined) {
      return read !== null && hasWireValue(row, scalars, sent) ? "model" : "value";
    }
    const isReplaced = member.isExact && member.read(wire) !== read;
    // Another member of the row may have given the value.
    return read === scalars[row] && !isReplaced ? null : "value";
  };

const lossOfStructure =
  ({ names, isSent, isMoot }: Structure, client: ClientDialect): LossOf =>
  (_, { conversation, sent }) => {
    const isCarried = isSent(sent, conversation) || isMoot?.(conversation, sent, client);
    const reason = names[sent.dialect] ? "model" : "dialect";
    return isCarried ? null : reason;
  };

const isCarriedByHand: LossOf = () => null;

function lossesOf(dialect: ClientDialect): ReadonlyMap<string, LossOf> {
  return new Map<string, LossOf>([
    ...byHand[dialect].split(/\s+/).map((name): [string, LossOf] => [name, isCarriedByHand]),
    ...scalarEntries.flatMap(([row, member]) =>
      namesIn(member, dialect).map((name): [string, LossOf] => [name, lossOfRow(row, member)]),
    ),
    ...structures.flatMap((structure) =>
      (structure.names[dialect] ?? []).map((name): [string, LossOf] => [
        name,
        lossOfStructure(structure, dialect),
      ]),
    ),
  ]);
}

const losses: Record<ClientDialect, ReadonlyMap<string, LossOf>> = {
  chat: lossesOf("chat"),
  completions: lossesOf("completions"),
  messages: lossesOf("messages"),
  responses: lossesOf("responses"),
  gemini: lossesOf("gemini"),
};

/** Members whose members are looked at one by one: those with names that have a dot. */
const outer = new Set(
  Object.values(losses).flatMap((known) =>
    [...known.keys()].flatMap((name) => name.match(/^[^.]+(?=\.)/) ?? []),
  ),
);

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0);

type Member = [name: string, value: unknown];

/** The members with a value that can be lost, one level deep where the dialect has levels. */
function* membersOf(fields: JsonObject, known: ReadonlyMap<string, LossOf>, prefix = ""): Generator<Member> {
  for (const name in fields) {
    const value = fields[name];
    if (known.get(prefix + name) === isCarriedByHand || isNothing(value)) {
      continue;
    }
    if (prefix === "" && isJsonObject(value) && outer.has(name) && !known.has(name)) {
      yield* membersOf(value, known, `${name}.`);
    } else {
      yield [prefix + name, value];
    }
  }
}

/** More than any honest request loses; the walk ends there. */
const MOST_MEMBERS = 64;

/** By a request's fields: a call walks over its members once, however many upstreams it tries or answers it makes. */
const walked = new WeakMap<JsonObject, Member[]>();

/** The members that can be lost, up to the 64th that no dialect knows. */
function losableMembers({ dialect, fields }: Pick<ClientCall, "dialect" | "fields">): Member[] {
  const known = losses[dialect];
  const members = walked.get(fields) ?? [];
  if (!walked.has(fields)) {
    walked.set(fields, members);
    let unknown = 0;
    for (const member of membersOf(fields, known)) {
      members.push(member);
      unknown += known.has(member[0]) ? 0 : 1;
      if (unknown === MOST_MEMBERS) {
        break;
      }
    }
  }
  return members;
}

/** The members that the upstream does not get, in the order of the request, at most 64. */
export function ignoredMembers(
  client: Pick<ClientCall, "dialect" | "fields">,
  conversation: Conversation,
  sent: Sent,
): IgnoredMember[] {
  const ignored: IgnoredMember[] = [];
  const known = losses[client.dialect];
  for (const [member, value] of losableMembers(client)) {
    const isForwarded = sent.operation === "completions" && Object.hasOwn(sent.body, member);
    const lossOf = known.get(member) ?? (() => "unknown" as const);
    const reason = isForwarded ? null : lossOf(value, { conversation, sent });
    if (reason !== null) {
      ignored.push({ member, reason });
    }
    if (ignored.length === MOST_MEMBERS) {
      break;
    }
  }
  return ignored;
}
