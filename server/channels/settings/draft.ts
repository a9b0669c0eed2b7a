/** Rules for every channel, whether new, changed or only tested. All functions throw Refusal. */
import type { VendorApi } from "@/server/domain/enums";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { findVendor } from "../vendors";
import { normaliseBaseUrl } from "./base-url";
import { type CapabilityOverrides, capabilitiesOf, overridesSchema } from "./capabilities";
import { ChannelSettings, ModelMap } from "./schema";

/** Fields that are left out stay unchanged, or get the default of a new channel. */
export type SettingsInput = { [Field in keyof ChannelSettings]?: ChannelSettings[Field] | undefined };

export type NewChannel = SettingsInput & {
  name: string;
  dialect: VendorApi;
  baseUrl: string;
  secrets: string[];
  /** Public name -> the upstream's name. */
  models: Record<string, string>;
  /** Public name -> differences from the presets. */
  capabilities?: Record<string, CapabilityOverrides> | undefined;
};

/** One model of a channel, as a row stores it. */
export type ServedModel = {
  modelId: string;
  upstreamName: string;
  capabilities: CapabilityOverrides | null;
};

function checkVendor(dialect: VendorApi, id: string): void {
  const vendor = findVendor(id);
  if (!vendor) {
    throw new Refusal(`vendor "${id}" does not exist`, "vendorUnknown");
  }
  if (vendor.dialect !== dialect) {
    throw new Refusal(`vendor ${id} uses ${vendor.dialect}, not ${dialect}`, "vendorUnknown");
  }
}

/**
 * Merges new settings over the stored ones and checks them. Unchanged values are not checked again: a stored base URL
 * is normalised already, and doing it twice may add another version; a stored vendor may belong to a later release.
 */
export function checkSettings(
  dialect: VendorApi,
  input: SettingsInput,
  before: Partial<ChannelSettings> = {},
): ChannelSettings {
  const fields = ChannelSettings.keyof().options;
  const pairs = fields.map((field) => [field, input[field] === undefined ? before[field] : input[field]]);
  const settings = parseOrRefuse(ChannelSettings, Object.fromEntries(pairs));
  if (settings.vendor !== null && settings.vendor !== before.vendor) {
    checkVendor(dialect, settings.vendor);
  }
  const isNormal = settings.baseUrl === before.baseUrl || dialect === "sandbox";
  return {
    ...settings,
    baseUrl: isNormal ? settings.baseUrl : normaliseBaseUrl(settings.baseUrl, dialect),
  };
}

/** An operator who sets thinking by effort must name the levels: without a level, no effort would be sent. */
function refuseEffortWithoutLevels(channel: CapableChannel, { modelId, ...model }: ServedModel): void {
  const { capabilities: overrides, upstreamName } = model;
  if (
    overrides?.thinking === "effort" &&
    capabilitiesOf({ ...channel, upstreamName, overrides }).effortLevels.length === 0
  ) {
    throw new Refusal(
      `"${modelId}" uses effort levels for thinking: set its effortLevels`,
      "effortWithoutLevels",
      {
        model: modelId,
      },
    );
  }
}

/** The fields of a channel that determine the presets of its models. */
type CapableChannel = Pick<ChannelSettings, "vendor" | "baseUrl"> & { dialect: VendorApi };

/** Returns each model with its overrides, checked against the dialect. */
export function checkModels(
  channel: CapableChannel,
  models: Record<string, string>,
  overrides: Record<string, CapabilityOverrides>,
): ServedModel[] {
  const schema = overridesSchema(channel.dialect);
  const checked = new Map(
    Object.entries(overrides).map(([modelId, override]) => {
      if (!Object.hasOwn(models, modelId)) {
        throw new Refusal(
          `capabilities of "${modelId}", which the channel does not serve`,
          "channelServesNoSuchModel",
        );
      }
      return [modelId, parseOrRefuse(schema, override)];
    }),
  );
  const served = parseOrRefuse(ModelMap, Object.entries(models)).map(([modelId, upstreamName]) => ({
    modelId,
    upstreamName,
    capabilities: checked.get(modelId) ?? null,
  }));
  for (const model of served) {
    refuseEffortWithoutLevels(channel, model);
  }
  return served;
}

/** Defaults of a new channel. */
const unsaid = {
  vendor: null,
  priority: 0,
  weight: 1,
  maxTasks: null,
  timeoutSeconds: null,
  idleTimeoutSeconds: null,
};

export function checkDraft(draft: NewChannel): {
  dialect: VendorApi;
  settings: ChannelSettings;
  models: ServedModel[];
} {
  const { dialect } = draft;
  const settings = checkSettings(dialect, draft, unsaid);
  return {
    dialect,
    settings,
    models: checkModels({ dialect, ...settings }, draft.models, draft.capabilities ?? {}),
  };
}
