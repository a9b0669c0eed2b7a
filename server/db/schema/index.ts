export {
  accounts,
  apiKeys,
  idempotentAnswers,
  managementKeys,
  passwordRequests,
  rateLimits,
  secretChecks,
  sessions,
  userIdentities,
  userLinks,
  users,
} from "./access";
export { auditEntries } from "./audit";
export { accountMonths, holds, keyMonths, outageParts } from "./billing";
export { callAttempts, calls, missedPaths, modelHours } from "./calls";
export { costPrices, modelPrices, models, priceGroups, videoPrices } from "./catalog";
export { channelModelChecks, channelModels, channels } from "./channels";
export { costDays, costTotals, daySums, spendDays, spendTotals } from "./day-sums";
export { costHours, spendHours } from "./hours";
export { idempotentCalls } from "./idempotency";
export { labelledObjects } from "./labels";
export { ledgerCheckpoints, ledgerChecks, ledgerClosings, ledgerEntries } from "./ledger";
export { channelAlarms, deliveries, mailRecipients, reachedShares, webhooks } from "./notifications";
export { payments } from "./payments";
export { codeBatches, redeemCodes } from "./redeem-codes";
export { backgroundResponses, conversations, keptThinking, storedResponses } from "./responses";
export { videoIdempotency, videoTasks } from "./videos";
