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
export {
  accountMonths,
  codeBatches,
  costHours,
  holds,
  keyMonths,
  ledgerCheckpoints,
  ledgerChecks,
  ledgerClosings,
  ledgerEntries,
  outageParts,
  redeemCodes,
  spendHours,
} from "./billing";
export { callAttempts, calls, missedPaths, modelHours } from "./calls";
export { costPrices, modelPrices, models, priceGroups, videoPrices } from "./catalog";
export { channelModelChecks, channelModels, channels } from "./channels";
export { costDays, costTotals, daySums, spendDays, spendTotals } from "./day-sums";
export { idempotentCalls } from "./idempotency";
export { labelledObjects } from "./labels";
export { channelAlarms, deliveries, mailRecipients, reachedShares, webhooks } from "./notifications";
export { payments } from "./payments";
export { backgroundResponses, conversations, keptThinking, storedResponses } from "./responses";
export { videoIdempotency, videoTasks } from "./videos";
