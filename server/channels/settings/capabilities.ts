/**
 * The capabilities of a model at a channel. The dialect's defaults come first, then the vendor's, the model's and the
 * operator's settings override them.
 */

import { z } from "zod";
import type { VendorApi } from "@/server/domain/enums";
import { Capabilities, type Dialect, usualCapabilities } from "@/server/protocol/capabilities";
import { anyAnthropic, presetOf } from "../vendors";

const dialectsOf: Partial<Record<string, Dialect>> & Record<VendorApi, Dialect> = {
  openai: "chat",
  "openai-responses": "responses",
  sandbox: "chat",
  anthropic: "messages",
  gemini: "gemini",
  // Videos only: these APIs get no conversations, so the value does not matter.
  dashscope: "chat",
  ark: "chat",
  "openai-video": "chat",
  "xai-video": "chat",
  kling: "chat",
};

/** Whether this release has an adapter for an API. A later release may have stored another API. */
export const isKnownApi = (api: string): boolean => Object.hasOwn(dialectsOf, api);

/** The dialect of conversations with an upstream of this API. An unknown API gets no conversations. */
export const dialectOf = (api: VendorApi): Dialect => (isKnownApi(api) ? dialectsOf[api] : "chat");

const thinkingModes = {
  chat: ["none", "effort", "type", "enable_thinking", "chat_template"],
  messages: ["none", "budget", "adaptive", "always"],
  responses: ["none", "effort"],
  gemini: ["none", "budget", "effort"],
} as const satisfies Record<Dialect, readonly Capabilities["thinking"][]>;

/** An operator's settings for one model at a channel. Fields that are left out keep the preset's value. */
export type CapabilityOverrides = Partial<Capabilities>;

/** Fields that only the chat dialect has. */
const ofChatAlone = {
  outputTokenField: true,
  reasoningTokens: true,
  reasoningDetails: true,
  thinkTags: true,
  standardTier: true,
} as const;

/**
 * Returns the schema of overrides for a dialect: it refuses fields and thinking modes that the dialect does not have.
 */
export function overridesSchema(api: VendorApi): z.ZodType<CapabilityOverrides> {
  const dialect = dialectOf(api);
  const schema = Capabilities.partial().extend({ thinking: z.enum(thinkingModes[dialect]).optional() });
  if (dialect === "chat") {
    return schema;
  }
  const others = schema.omit(ofChatAlone);
  return dialect === "messages" ? others : others.omit({ promptCache: true, cacheMinTokens: true });
}

type ChannelModel = {
  dialect: VendorApi;
  /** A preset's id. If it is null or unknown to this version, the base URL's host may identify the vendor. */
  vendor: string | null;
  baseUrl: string;
  upstreamName: string;
  overrides: CapabilityOverrides | null;
};

const Known = z.object(Capabilities.shape);

/**
 * Returns the part of an operator's settings that this release can read. A later release may have stored members or
 * values that this one does not know, and one such row would close all channels of a model. The presets apply to what
 * this release skips.
 */
function readable(overrides: Record<string, unknown>): CapabilityOverrides {
  const read = Object.entries(Capabilities.shape).flatMap(([name, schema]) => {
    const stored = overrides[name];
    const candidate = Array.isArray(stored)
      ? stored.filter((item) => schema.safeParse([item]).success)
      : stored;
    const result = schema.safeParse(candidate);
    return result.success ? [[name, result.data]] : [];
  });
  return Object.fromEntries(read);
}

/** The capabilities of a model at a channel. */
export function capabilitiesOf(subject: ChannelModel): Capabilities {
  const preset = presetOf(subject) ?? (subject.dialect === "anthropic" ? anyAnthropic : null);
  return Known.parse({
    ...usualCapabilities[dialectOf(subject.dialect)],
    ...preset?.capabilities,
    ...preset?.models?.find(({ match }) => match.test(subject.upstreamName))?.capabilities,
    ...readable(subject.overrides ?? {}),
  });
}
