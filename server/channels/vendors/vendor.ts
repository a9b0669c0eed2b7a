import type { VendorApi } from "@/server/domain/enums";
import type { Capabilities } from "@/server/protocol/capabilities";

/**
 * Members that only OpenAI has. Most vendors with its dialect answer 400 to a member that they do not know (zed#36215,
 * opencode#4386, openclaw#49727, platform-docs-public#7).
 */
export const ofOpenAi: Capabilities["refusedMembers"] = [
  "verbosity",
  "metadata",
  "prompt_cache_key",
  "prompt_cache_retention",
];
export const penalties: Capabilities["refusedMembers"] = ["frequency_penalty", "presence_penalty"];

/** Capabilities of the models whose upstream names match. */
export type ModelRow = { match: RegExp; capabilities: Partial<Capabilities> };

/** A preset: facts about a vendor's endpoint that an operator would otherwise have to look up. */
export type Vendor = {
  /** The name that an operator types. */
  id: string;
  name: string;
  dialect: VendorApi;
  /** null: every customer has their own. */
  baseUrl: string | null;
  /** Host name suffixes that identify the vendor of a channel without one, in addition to the base URL's own host. */
  hosts?: string[];
  capabilities: Partial<Capabilities>;
  /** The first match applies. */
  models?: ModelRow[];
  /** The beginning of the vendor's keys, if it is unique: the console then recognizes the vendor of a pasted key. */
  keyPrefix?: string;
  /** The vendor whose price list holds, if it is not its own: presets of one vendor share its list. */
  priceList?: string;
  /** The owner of its models, if that is not its price list: the presets of one vendor name one owner. */
  owner?: string;
  /** Whether its list does not name what calls can name. */
  hidesModels?: true;
};
