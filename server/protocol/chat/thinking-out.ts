import type { Capabilities } from "../capabilities";
import { clipEffort, effortOf } from "../effort";
import type { JsonObject } from "../fields";
import type { ThinkingWish } from "../pivot/conversation";

/** Turns thinking on or off, in the vendor's own words. */
function toSwitch(isOn: boolean, budget: number | null, { thinking }: Capabilities): JsonObject {
  switch (thinking) {
    case "type":
      return { thinking: { type: isOn ? "enabled" : "disabled" } };
    case "enable_thinking":
      return { enable_thinking: isOn, ...(isOn && budget !== null && { thinking_budget: budget }) };
    case "chat_template":
      // Qwen's templates read `enable_thinking`; DeepSeek's and others read `thinking`.
      return { chat_template_kwargs: { enable_thinking: isOn, thinking: isOn } };
    default:
      return {};
  }
}

/** The thinking effort. Empty if the client named none, or if the upstream takes no such level. */
function toEffort({ mode, effort, budget }: ThinkingWish, { effortLevels }: Capabilities): JsonObject {
  if (mode === "off") {
    return effortLevels.includes("none") ? { reasoning_effort: "none" } : {};
  }
  const level = effort ?? (budget === null ? null : effortOf(budget));
  const clipped = level && clipEffort(level, effortLevels);
  return clipped === null ? {} : { reasoning_effort: clipped };
}

/** A client's wish for thinking, in the form that the upstream's model wants. */
export function toThinking(wish: ThinkingWish | null, capabilities: Capabilities): JsonObject {
  if (wish === null || capabilities.thinking === "none") {
    return {};
  }
  return {
    ...(wish.mode !== null && toSwitch(wish.mode === "on", wish.budget, capabilities)),
    ...toEffort(wish, capabilities),
  };
}
