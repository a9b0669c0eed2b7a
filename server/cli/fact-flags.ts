/** Flags for a model's facts. `none` means unknown. */
import { type Modality, modalities } from "@/server/domain/enums";
import { type FlagValues, many, text, UsageError, wholeNumberOrNone, yesOrNo } from "./command";

export const factFlags = {
  "context-window": { type: "string" },
  "input-modality": { type: "string", multiple: true },
  "output-modality": { type: "string", multiple: true },
  tools: { type: "string" },
  thinking: { type: "string" },
} as const;

function modalitiesOf(values: FlagValues, flag: string): Modality[] | null | undefined {
  const names = many(values, flag);
  if (names.length === 0) {
    return undefined;
  }
  if (names.length === 1 && names[0] === "none") {
    return null;
  }
  return names.map((name) => {
    const match = modalities.find((modality) => modality === name);
    if (!match) {
      throw new UsageError(`--${flag} must be one of ${modalities.join(", ")}, or none`);
    }
    return match;
  });
}

const answerOf = (values: FlagValues, flag: string): boolean | null | undefined =>
  text(values, flag) === "none" ? null : yesOrNo(values, flag);

/** A fact without a flag is undefined, and stays. Throws UsageError. */
export const readFacts = (values: FlagValues) => ({
  contextWindow: wholeNumberOrNone(values, "context-window", { min: 1, max: 100_000_000 }),
  inputModalities: modalitiesOf(values, "input-modality"),
  outputModalities: modalitiesOf(values, "output-modality"),
  hasTools: answerOf(values, "tools"),
  hasThinking: answerOf(values, "thinking"),
});
