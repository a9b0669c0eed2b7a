/** Prompt cache marks in the chat dialect, for vendors that take them on parts (DashScope, OpenRouter's Claude). */
import { isJsonObject, type JsonObject, objects } from "../fields";
import { type CachePlan, reaches } from "../prompt-cache";

const hasMark = (value: unknown): boolean =>
  isJsonObject(value) && (isJsonObject(value.cache_control) || objects(value.content).some(hasMark));

/** Returns the message with a mark on the last part of its content. A message without content stays unchanged. */
function withMark(message: JsonObject, { mark }: CachePlan): JsonObject {
  const { content } = message;
  if (typeof content === "string" && content !== "") {
    return { ...message, content: [{ type: "text", text: content, cache_control: mark }] };
  }
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const last = parts.at(-1);
  return isJsonObject(last)
    ? { ...message, content: [...parts.slice(0, -1), { ...last, cache_control: mark }] }
    : message;
}

/** Roles whose messages end a prompt, and therefore a prefix of the next one. */
const ENDS: unknown[] = ["user", "tool"];

/**
 * The places up to which the next prompt will equal this one: the end of the system text, and the ends of this prompt
 * and of the previous one.
 */
function placesIn(messages: JsonObject[], tools: unknown, plan: CachePlan): Set<number> {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const system = first === -1 ? messages.length - 1 : first - 1;
  const places = new Set<number>();
  if (system >= 0 && reaches([tools, messages.slice(0, system + 1)], plan)) {
    places.add(system);
  }
  if (plan.continues && plan.isLong && !plan.isAutomatic) {
    const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
    places.add(messages.findLastIndex(({ role }, index) => index < lastAnswer && ENDS.includes(role)));
    places.add(messages.findLastIndex(({ role }) => ENDS.includes(role)));
  }
  return places;
}

/**
 * The members of a request whose prompt is cached. If the client has marked anything, its messages stay unchanged.
 * `tools`: the request's. `cache_control`: present if the vendor marks the end of the prompt itself.
 */
export function cachedMembers(
  messages: JsonObject[],
  tools: unknown,
  plan: CachePlan,
): { messages: JsonObject[]; cache_control?: CachePlan["mark"] } {
  if ([...messages, ...objects(tools)].some(hasMark)) {
    return { messages };
  }
  const places = placesIn(messages, tools, plan);
  return {
    messages: messages.map((message, index) => (places.has(index) ? withMark(message, plan) : message)),
    ...(plan.isAutomatic && plan.continues && plan.isLong && { cache_control: plan.mark }),
  };
}
