/** Reads a channel's models and capabilities from `--model` and `--capability`. */

import { type CapabilityOverrides, type Channel, overridesSchema } from "@/server/channels";
import type { VendorApi } from "@/server/domain/enums";
import { type FlagValues, many, UsageError } from "./command";

/** `PUBLIC` or `PUBLIC=UPSTREAM`. */
function modelMap(entries: string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [publicName = "", ...upstream] = entry.split("=");
      if (publicName === "") {
        throw new UsageError(`--model ${entry}: the public name is missing`);
      }
      return [publicName, upstream.join("=") || publicName];
    }),
  );
}

const literals = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Removes an override of a field: the preset's value is in force again. */
const PRESET = "preset";

/** Reads a capability as the operator wrote it; lists have commas. */
function parseWritten(field: string, written: string): unknown {
  if (written === PRESET) {
    return undefined;
  }
  if (field === "effortLevels" || field === "refusedMembers") {
    return written.split(",").filter((item) => item !== "");
  }
  const literal = literals.get(written);
  if (literal !== undefined) {
    return literal;
  }
  return /^\d+$/.test(written) ? Number(written) : written;
}

/**
 * Overrides by public name from `MODEL:FIELD=VALUE`, each field checked; undefined: the preset's value. A name may have
 * colons.
 */
export function capabilityOverrides(
  values: FlagValues,
  channel: { dialect: VendorApi; models: Record<string, string> },
): Record<string, CapabilityOverrides> {
  const schema = overridesSchema(channel.dialect);
  // A model may be called `__proto__`.
  const overrides = new Map<string, CapabilityOverrides>();
  for (const entry of many(values, "capability")) {
    const [, model, field, written] = /^(.+):(\w+)=(.*)$/.exec(entry) ?? [];
    if (model === undefined || field === undefined || written === undefined) {
      throw new UsageError(`--capability ${entry}: write MODEL:FIELD=VALUE, such as m1:thinking=effort`);
    }
    if (!Object.hasOwn(channel.models, model)) {
      throw new UsageError(`--capability ${entry}: the channel does not serve ${model}`);
    }
    const parsed = schema.safeParse({ [field]: parseWritten(field, written) });
    if (!parsed.success) {
      throw new UsageError(`--capability ${entry}: ${field}: ${parsed.error.issues[0]?.message}`);
    }
    overrides.set(model, { ...overrides.get(model), ...parsed.data });
  }
  return Object.fromEntries(overrides);
}

const withoutPresets = (overrides: CapabilityOverrides): CapabilityOverrides =>
  Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));

type ChannelModels = Pick<Channel, "dialect" | "models" | "overrides">;

/** Rows as operations take them: the overrides given now are merged over a model's former ones. */
function rowsOf(values: FlagValues, { dialect, models, overrides }: ChannelModels) {
  const newOverrides = capabilityOverrides(values, { dialect, models });
  return Object.entries(models).map(([modelId, upstreamName]) => ({
    modelId,
    upstreamName,
    overrides: withoutPresets({ ...overrides[modelId], ...newOverrides[modelId] }),
  }));
}

/** The models of a new channel. */
export const newModels = (values: FlagValues, dialect: VendorApi) =>
  rowsOf(values, { dialect, models: modelMap(many(values, "model")), overrides: {} });

/**
 * The models of a channel after the change: `--model` replaces the whole list, and a model that stays keeps its
 * overrides. undefined: no flag is given.
 */
export function changedModels(values: FlagValues, channel: ChannelModels) {
  const named = many(values, "model");
  if (named.length === 0 && many(values, "capability").length === 0) {
    return undefined;
  }
  return rowsOf(values, named.length === 0 ? channel : { ...channel, models: modelMap(named) });
}
