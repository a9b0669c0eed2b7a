/** What a model at a channel can do: the dialect's usual, then the vendor's, the model's, and the operator's word. */

import { z } from "zod";
import type { VendorApi } from "@/server/base/facts";
import { Capabilities, type Dialect, usualCapabilities } from "@/server/protocol/capabilities";
import { anyAnthropic, findVendor, guessVendor, type Vendor } from "./vendors";

const dialectsOf: Partial<Record<string, Dialect>> & Record<VendorApi, Dialect> = {
  openai: "chat",
  "openai-responses": "responses",
  sandbox: "chat",
  anthropic: "messages",
  gemini: "gemini",
  // Videos only: no conversation ever gets there, and any answer does.
  dashscope: "chat",
  ark: "chat",
  "openai-video": "chat",
  "xai-video": "chat",
  kling: "chat",
};

/** Whether this release has an adapter for an API: a later one may have stored another. */
export const isKnownApi = (api: string): boolean => Object.hasOwn(dialectsOf, api);

/** The dialect of conversations with an upstream of this API. An unknown API gets no conversations. */
export const dialectOf = (api: VendorApi): Dialect => (isKnownApi(api) ? dialectsOf[api] : "chat");

const thinkingModes = {
  chat: ["none", "effort", "type", "enable_thinking", "chat_template"],
  messages: ["none", "budget", "adaptive", "always"],
  responses: ["none", "effort"],
  gemini: ["none", "budget", "effort"],
} as const satisfies Record<Dialect, readonly Capabilities["thinking"][]>;

/** What an operator says about one model at a channel; what is left out stays as the presets have it. */
export type CapabilityOverrides = Partial<Capabilities>;

/** Fields of which the other dialects know nothing. */
const ofChatAlone = {
  outputTokenField: true,
  reasoningTokens: true,
  reasoningDetails: true,
  thinkTags: true,
  standardTier: true,
} as const;

/** Checks overrides: no field that the dialect does not have, no way of thinking that it has no words for. */
export function overridesSchema(api: VendorApi): z.ZodType<CapabilityOverrides> {
  const dialect = dialectOf(api);
  const schema = Capabilities.partial().extend({ thinking: z.enum(thinkingModes[dialect]).optional() });
  if (dialect === "chat") {
    return schema;
  }
  const others = schema.omit(ofChatAlone);
  return dialect === "messages" ? others : others.omit({ promptCache: true, cacheMinTokens: true });
}

type Subject = {
  dialect: VendorApi;
  /** A preset's id. null, or one that this version does not know: the base URL's host tells, if anything does. */
  vendor: string | null;
  baseUrl: string;
  upstreamName: string;
  overrides: CapabilityOverrides | null;
};

function presetOf({ dialect, vendor, baseUrl }: Subject): Pick<Vendor, "capabilities" | "models"> | null {
  const named = vendor === null ? null : findVendor(vendor);
  return named ?? guessVendor(baseUrl, dialect) ?? (dialect === "anthropic" ? anyAnthropic : null);
}

const Known = z.object(Capabilities.shape);

/**
 * The part of an operator's settings that this release can read. A later release may have stored members or values that
 * this one does not know, and one such row would close all channels of a model. The presets hold for what this release
 * skips.
 */
function readable(overrides: Record<string, unknown>): CapabilityOverrides {
  const read = Object.entries(Capabilities.shape).flatMap(([name, schema]) => {
    const stored = overrides[name];
    const known = Array.isArray(stored) ? stored.filter((one) => schema.safeParse([one]).success) : stored;
    const said = schema.safeParse(known);
    return said.success ? [[name, said.data]] : [];
  });
  return Object.fromEntries(read);
}

/** The capabilities of a channel's model. */
export function capabilitiesOf(subject: Subject): Capabilities {
  const preset = presetOf(subject);
  return Known.parse({
    ...usualCapabilities[dialectOf(subject.dialect)],
    ...preset?.capabilities,
    ...preset?.models?.find(({ match }) => match.test(subject.upstreamName))?.capabilities,
    ...readable(subject.overrides ?? {}),
  });
}
