/**
 * What a release does for each paid call, for videos and for money back, of the release before this one as it was
 * (`rooms.mjs`, made of its source by `scripts/keep-release.mjs`) and of this one: for tests in which both serve one
 * database.
 */
export { createAccount, createGatekeeper, issueKey } from "@/server/access";
export { createLog } from "@/server/base/log";
export { createMetrics } from "@/server/base/metrics";
export { localPool } from "@/server/base/shares";
export { vaultOf } from "@/server/base/vault";
export {
  adjust,
  createBilling,
  getBalance,
  makeCodes,
  redeemCode,
  refundCharge,
  verifyLedger,
} from "@/server/billing";
export { createCalls } from "@/server/calls";
export { createCatalog, saveModel } from "@/server/catalog";
export { addChannel, createChannels } from "@/server/channels";
export { openDatabase, transaction } from "@/server/db";
export { createVideos } from "@/server/videos";
