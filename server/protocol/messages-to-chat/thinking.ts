import { optionalFields, optionalText } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { clipEffort, type Effort, effortOf, isEffort } from "../effort";
import type { JsonObject } from "../fields";

/** Whether to think, in the vendor's own words. */
function toSwitch(isOn: boolean, budget: number | null, { thinking }: Capabilities): JsonObject {
  switch (thinking) {
    case "type":
      return { thinking: { type: isOn ? "enabled" : "disabled" } };
    case "enable_thinking":
      return { enable_thinking: isOn, ...(isOn && budget !== null && { thinking_budget: budget }) };
    case "chat_template":
      // Qwen's templates read the one, DeepSeek's and others the other.
      return { chat_template_kwargs: { enable_thinking: isOn, thinking: isOn } };
    default:
      return {};
  }
}

/** How hard the client wants the model to think: by name, else by budget. null: it does not say. */
function wantedEffort(thinking: JsonObject, config: JsonObject): Effort | null {
  const named = config.effort;
  if (isEffort(named)) {
    return named;
  }
  const { type, budget_tokens } = thinking;
  return type === "enabled" && typeof budget_tokens === "number" ? effortOf(budget_tokens) : null;
}

/** How hard to think. Says nothing where the client said nothing, or where the upstream takes no such word. */
function toEffort(thinking: JsonObject, config: JsonObject, { effortLevels }: Capabilities): JsonObject {
  if (thinking.type === "disabled") {
    return effortLevels.includes("none") ? { reasoning_effort: "none" } : {};
  }
  const wanted = wantedEffort(thinking, config);
  const effort = wanted && clipEffort(wanted, effortLevels);
  return effort === null ? {} : { reasoning_effort: effort };
}

/**
 * `thinking` and `output_config.effort` as the upstream's model wants to be asked. Throws cannotConvert where they
 * have not the dialect's form.
 */
export function toThinking(fields: JsonObject, capabilities: Capabilities): JsonObject {
  const thinking = optionalFields(fields.thinking, "thinking");
  const config = optionalFields(fields.output_config, "output_config");
  const type = optionalText(thinking.type, "thinking.type");
  if (capabilities.thinking === "none") {
    return {};
  }
  const budget = typeof thinking.budget_tokens === "number" ? thinking.budget_tokens : null;
  return {
    ...(type !== "" && toSwitch(type !== "disabled", budget, capabilities)),
    ...toEffort(thinking, config, capabilities),
  };
}
