import type { Capabilities } from "../capabilities";
import { type Fields, isFields } from "../fields";

const levels = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Level = (typeof levels)[number];

const isLevel = (value: unknown): value is Level => levels.some((level) => level === value);

/** The effort that a thinking budget, in tokens, comes to. */
function budgetLevel(tokens: number): Level {
  if (tokens <= 2_048) {
    return "low";
  }
  return tokens <= 8_192 ? "medium" : "high";
}

/** The nearest level that the upstream takes: the highest that is not above, else the lowest. null: it takes none. */
function clipLevel(wanted: Level, { effortLevels }: Capabilities): Level | null {
  const allowed = effortLevels.filter(isLevel);
  const within = allowed.filter((level) => levels.indexOf(level) <= levels.indexOf(wanted));
  return within.at(-1) ?? allowed[0] ?? null;
}

/** Whether to think, in the vendor's own words. */
function toSwitch(isOn: boolean, budget: number | null, { thinking }: Capabilities): Fields {
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
function wantedLevel(thinking: Fields, config: unknown): Level | null {
  const named = isFields(config) ? config.effort : undefined;
  if (isLevel(named)) {
    return named;
  }
  const { type, budget_tokens } = thinking;
  return type === "enabled" && typeof budget_tokens === "number" ? budgetLevel(budget_tokens) : null;
}

/** How hard to think. Says nothing where the client said nothing, or where the upstream takes no such word. */
function toEffort(fields: Fields, capabilities: Capabilities): Fields {
  const thinking = isFields(fields.thinking) ? fields.thinking : {};
  if (thinking.type === "disabled") {
    return capabilities.effortLevels.includes("none") ? { reasoning_effort: "none" } : {};
  }
  const wanted = wantedLevel(thinking, fields.output_config);
  const level = wanted && clipLevel(wanted, capabilities);
  return level === null ? {} : { reasoning_effort: level };
}

/** `thinking` and `output_config.effort` as the upstream's model wants to be asked. */
export function toThinking(fields: Fields, capabilities: Capabilities): Fields {
  if (capabilities.thinking === "none") {
    return {};
  }
  const { type, budget_tokens } = isFields(fields.thinking) ? fields.thinking : {};
  const budget = typeof budget_tokens === "number" ? budget_tokens : null;
  return {
    ...(typeof type === "string" && toSwitch(type !== "disabled", budget, capabilities)),
    ...toEffort(fields, capabilities),
  };
}
