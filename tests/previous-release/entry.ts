/**
 * The functions of a release for paid calls, for videos and for refunds. Tests let two releases serve one database:
 * this one and the previous one, from whose source `scripts/previous-release.mjs` bundles this file. So it names only
 * functions that both have.
 */
export { createAccount, createGatekeeper, issueKey } from "@/server/access";
export { createLog } from "@/server/base/log";
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
export { createMetrics } from "@/server/domain/metrics";
export { localPool } from "@/server/domain/shares";
export { createVideos } from "@/server/videos";
