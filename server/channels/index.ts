/**
 * Channels: chooses the upstream for a call and handles its failures. Hides credentials (encrypted at rest), the order
 * of attempts, breakers and resting credentials. Guarantees that a call is sent to the next channel only as long as no
 * part of a reply was accepted, and never twice to the same channel and credential.
 */
export {
  readBytes,
  readLongText,
  readText,
  textOf,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
export { type Channels, createChannels } from "./channels";
export type { AttemptPlan as Plan, Dispatch, Dispatched } from "./dispatch/attempt";
export { type Attempt, noteModel } from "./dispatch/attempts";
export { type Alarm, nextStep } from "./health/alarm";
export type { HealthEvents as Sightings } from "./health/events";
export { reasonOf } from "./health/faults";
export { openSightings } from "./health/notices";
export { UNTRIED_MS } from "./health/outcomes";
export { type ChannelState, isAiling, readChannelState } from "./health/state";
export {
  claimModelCheck,
  listModelChecks,
  seeModelChanges,
  setModelCheck,
  storeModelCheck,
} from "./model-checks";
export { listDraftModels, type ModelSource } from "./model-lists";
export { listEnabledWays, type Route, type Way } from "./routing/routes";
export { type CapabilityOverrides, capabilitiesOf, overridesSchema } from "./settings/capabilities";
export {
  addChannel,
  lockChannel,
  removeChannel,
  setChannelEnabled,
  setChannelMovedOff,
  updateChannel,
} from "./settings/change";
export type { NewChannel } from "./settings/draft";
export { findCredentials } from "./settings/known-credentials";
export { resealChannels, sampleCredentials } from "./settings/reseal";
export {
  type Channel,
  findServedModels,
  getChannel,
  getChannelByNameOrId,
  listChannels,
} from "./settings/view";
export type { ChannelVerdict } from "./standings";
export type { TestResult } from "./testing/test-channel";
export { findVendor, listNameOf, ownerOf, vendors } from "./vendors";
