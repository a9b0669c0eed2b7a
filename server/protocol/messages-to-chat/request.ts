import { createHash } from "node:crypto";
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { optionalFields, optionalText } from "../cannot-convert";
import { type Capabilities, limitField } from "../capabilities";
import type { JsonObject } from "../fields";
import type { ToolNames } from "../tool-names";
import type { Terms, UpstreamModel } from "../upstream-plan";
import { toChatMessages } from "./history";
import { toResponseFormat } from "./json-schema";
import { toThinking } from "./thinking";
import { toChatTools } from "./tools";

/** OpenAI's limit; Claude Code's identifiers are longer. */
const MAX_USER_CHARACTERS = 64;

/** What no chat upstream can do and no client would want to do without. */
function refuseUnconvertible(fields: JsonObject): void {
  if (fields.max_tokens === 0) {
    throw new GatewayError("cannotConvert", details.noCacheWarming());
  }
  if (Array.isArray(fields.mcp_servers) && fields.mcp_servers.length > 0) {
    throw new GatewayError("cannotConvert", details.noConnector());
  }
}

/** Always named: the call has paid for so many tokens and no more. */
function toOutputLimit(upstream: UpstreamModel, terms: Terms): JsonObject {
  const most = upstream.capabilities.maxOutputTokens ?? terms.maxOutputTokens;
  return { [limitField(upstream)]: Math.min(terms.maxOutputTokens, most) };
}

function toSampling({ temperature, top_p, top_k }: JsonObject, { sampling, topK }: Capabilities): JsonObject {
  const hasTemperature = typeof temperature === "number" && sampling !== "none";
  const hasTopP =
    typeof top_p === "number" && (sampling === "full" || (sampling === "one" && !hasTemperature));
  return {
    ...(hasTemperature && { temperature }),
    ...(hasTopP && { top_p }),
    ...(typeof top_k === "number" && topK && { top_k }),
  };
}

function toStops({ stop_sequences }: JsonObject, { maxStops }: Capabilities): JsonObject {
  const stop = Array.isArray(stop_sequences) ? stop_sequences.filter((text) => text !== "") : [];
  if (maxStops !== null && stop.length > maxStops) {
    throw new GatewayError("cannotConvert", details.mostStops(maxStops));
  }
  return stop.length > 0 ? { stop } : {};
}

const tiers = new Map<unknown, string>([
  ["auto", "auto"],
  ["standard_only", "default"],
]);

/** Who asks, and how urgently. */
function toService({ metadata, service_tier }: JsonObject): JsonObject {
  const user = optionalText(optionalFields(metadata, "metadata").user_id, "metadata.user_id");
  const tier = tiers.get(service_tier);
  return {
    ...(user !== "" && { user: shortenUser(user) }),
    ...(tier && { service_tier: tier }),
  };
}

const shortenUser = (user: string): string =>
  user.length > MAX_USER_CHARACTERS ? createHash("sha256").update(user).digest("hex") : user;

/**
 * A messages request (its form already checked) for a chat upstream, and the names under which its tools go. Hints are
 * dropped where the upstream does not know them (cache marks, top_k, betas); throws cannotConvert for what would
 * change the call's meaning.
 */
export function toChatRequest(
  fields: JsonObject,
  upstream: UpstreamModel,
  terms: Terms,
): { body: JsonObject; names: ToolNames } {
  refuseUnconvertible(fields);
  const { capabilities } = upstream;
  const tools = toChatTools(fields, capabilities);
  const body = {
    model: upstream.name,
    messages: toChatMessages(fields, { capabilities, names: tools.names }),
    ...toOutputLimit(upstream, terms),
    ...tools.fields,
    ...toThinking(fields, capabilities),
    ...toResponseFormat(fields, capabilities),
    ...toSampling(fields, capabilities),
    ...toStops(fields, capabilities),
    ...toService(fields),
    ...(fields.stream === true && { stream: true, stream_options: { include_usage: true } }),
  };
  return { body, names: tools.names };
}
