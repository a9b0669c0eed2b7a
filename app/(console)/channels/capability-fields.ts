/** The form fields for a model's capabilities at a channel. Pure; docs/presets.md explains each. */
import type { VendorApi } from "@/server/domain/enums";
import { refusableMembers } from "@/server/protocol/scalar-members";
import type { Overrides } from "./channel";

export type FieldName = keyof Overrides & string;

/** `choice`: one of the values. `number`: null or a number from `min`. `list`: some of the values. */
export type CapabilityField =
  | { name: FieldName; kind: "choice"; values: readonly (string | boolean | null)[] }
  | { name: FieldName; kind: "number"; min: number }
  | { name: "effortLevels" | "refusedMembers"; kind: "list"; values: readonly string[] };

const effortLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

const choice = (name: FieldName, ...values: (string | boolean | null)[]): CapabilityField => ({
  name,
  kind: "choice",
  values,
});
const flag = (name: FieldName) => choice(name, true, false);

const shared: CapabilityField[] = [
  { name: "maxOutputTokens", kind: "number", min: 1 },
  { name: "effortLevels", kind: "list", values: effortLevels },
  choice("sampling", "full", "one", "none"),
  flag("topK"),
  { name: "refusedMembers", kind: "list", values: refusableMembers },
  choice("images", "url", "data", "none"),
  flag("documents"),
  flag("echoesThinking"),
  flag("signsToolCalls"),
  flag("laterSystem"),
  { name: "maxStops", kind: "number", min: 0 },
  flag("jsonSchema"),
  flag("webSearch"),
  flag("premiumTiers"),
];

const caching: CapabilityField[] = [
  choice("promptCache", "none", "marks", "automatic"),
  { name: "cacheMinTokens", kind: "number", min: 1 },
];

const chat: CapabilityField[] = [
  choice("outputTokenField", "max_tokens", "max_completion_tokens", null),
  choice("thinking", "none", "effort", "type", "enable_thinking", "chat_template"),
  ...shared,
  ...caching,
  choice("reasoningTokens", "included", "separate"),
  choice("standardTier", null, "on_demand"),
  flag("reasoningDetails"),
  flag("thinkTags"),
  flag("severalAnswers"),
  flag("completions"),
];

const messages: CapabilityField[] = [
  choice("thinking", "none", "budget", "adaptive", "always"),
  ...shared,
  ...caching,
];

const responses: CapabilityField[] = [choice("thinking", "none", "effort"), ...shared];

const gemini: CapabilityField[] = [choice("thinking", "none", "budget", "effort"), ...shared];

const ownFields: Partial<Record<VendorApi, CapabilityField[]>> = {
  anthropic: messages,
  "openai-responses": responses,
  gemini,
};

/** The capabilities that a dialect can express. */
export const capabilityFields = (dialect: VendorApi): CapabilityField[] => ownFields[dialect] ?? chat;

/** `undefined` removes the override, so that the preset applies again. */
export function withOverride(overrides: Overrides, name: FieldName, value: unknown): Overrides {
  const { [name]: _, ...others } = overrides;
  return value === undefined ? others : { ...others, [name]: value };
}
