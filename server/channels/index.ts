/**
 * Channels: which upstream, and what if it fails. Hides credentials (encrypted at rest), the order of attempts,
 * breakers and resting credentials. Promises that a call goes to the next channel as long as nothing of a reply was
 * accepted, and never twice to the same channel and credential.
 */
export { readText, UpstreamFault, type UpstreamReply } from "@/server/upstream";
export { type CapabilityOverrides, overridesSchema } from "./capabilities";
export { type Channels, createChannels } from "./channels";
export type { Dispatched } from "./dispatch";
export {
  addChannel,
  type Channel,
  getChannel,
  listChannels,
  type Route,
  removeChannel,
  setChannelEnabled,
} from "./store";
export { createVault, type Vault } from "./vault";
export { findVendor, vendors } from "./vendors";
