/**
 * Channels: chooses the upstream for a call and handles its failures. Hides credentials (encrypted at rest), the order
 * of attempts, breakers and resting credentials. Guarantees that a call is sent to the next channel only as long as no
 * part of a reply was accepted, and never twice to the same channel and credential.
 */
export {
  type ForwardedOperation,
  forwardedOperations,
  readBytes,
  readText,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
export type { AttemptPlan as Plan, Dispatch, Dispatched } from "./attempt";
export { type Attempt, noteModel } from "./attempts";
export { type CapabilityOverrides, capabilitiesOf, overridesSchema } from "./capabilities";
export {
  addChannel,
  lockChannel,
  removeChannel,
  setChannelEnabled,
  setChannelMovedOff,
  updateChannel,
} from "./change";
export { type Channels, createChannels } from "./channels";
export type { NewChannel } from "./draft";
export { blameOf, type FaultReason, reasonOf } from "./faults";
export type { HealthEvents as Sightings } from "./health-events";
export { openSightings } from "./notices";
export { resealChannels, sampleCredentials } from "./reseal";
export type { Route } from "./routes";
export { type ChannelState, isAiling, readChannelState } from "./state";
export type { TestResult } from "./test-channel";
export { findVendor, vendors } from "./vendors";
export { type Channel, findServedModels, getChannel, getChannelByNameOrId, listChannels } from "./view";
