/** The presets: endpoints of well-known vendors, and how to ask each. Data; docs/changes/add-a-vendor.md says how to add one. */
import type { VendorApi } from "@/server/domain/enums";
import { anthropic, claudeModels } from "./anthropic";
import { dashscopeVendors } from "./dashscope";
import { deepseekVendors } from "./deepseek";
import { hosts } from "./hosts";
import { localServers } from "./local";
import { makers } from "./makers";
import { moonshotVendors } from "./moonshot";
import { openaiVendors } from "./openai";
import type { Vendor } from "./vendor";
import { zhipuVendors } from "./zhipu";

export type { Vendor } from "./vendor";

export const vendors: Vendor[] = [
  ...openaiVendors,
  anthropic,
  ...makers,
  ...deepseekVendors,
  ...moonshotVendors,
  ...zhipuVendors,
  ...dashscopeVendors,
  ...hosts,
  ...localServers,
];

export const findVendor = (id: string): Vendor | null => vendors.find((vendor) => vendor.id === id) ?? null;

/** The vendor that this endpoint must belong to. The address of a local server does not identify one. */
export function guessVendor(baseUrl: string, dialect: VendorApi): Vendor | null {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  return (
    vendors.find(
      (vendor) =>
        vendor.dialect === dialect &&
        !localServers.includes(vendor) &&
        ((vendor.baseUrl !== null && new URL(vendor.baseUrl).hostname === host) ||
          vendor.hosts?.some((end) => host.endsWith(end))),
    ) ?? null
  );
}

/** A channel's preset: the named one, or that of its address. */
export const presetOf = (channel: {
  vendor: string | null;
  baseUrl: string;
  dialect: VendorApi;
}): Vendor | null =>
  (channel.vendor === null ? null : findVendor(channel.vendor)) ??
  guessVendor(channel.baseUrl, channel.dialect);

/** The name of the vendor's price list: presets of one vendor share a list. null: an unknown vendor. */
export function listNameOf(channel: Parameters<typeof presetOf>[0]): string | null {
  const preset = presetOf(channel);
  return preset && (preset.priceList ?? preset.id);
}

/** The owner of the vendor's own models. null: an unknown vendor. */
export function ownerOf(channel: Parameters<typeof presetOf>[0]): string | null {
  const preset = presetOf(channel);
  return preset && (preset.owner ?? preset.priceList ?? preset.id);
}

/** A third-party server in Anthropic's dialect: the names of Claude models identify them. */
export const anyAnthropic: Pick<Vendor, "capabilities" | "models"> = {
  capabilities: {},
  models: claudeModels,
};
