export {
  accounts,
  apiKeys,
  idempotentAnswers,
  managementKeys,
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
  redeemCodes,
  spendHours,
} from "./billing";
export { callAttempts, calls, missedPaths } from "./calls";
export { costPrices, modelPrices, models, priceGroups, videoPrices } from "./catalog";
export { channelModels, channels } from "./channels";
export { idempotentCalls } from "./idempotency";
export { channelAlarms, deliveries, mailRecipients, reachedShares, webhooks } from "./notifications";
export { payments } from "./payments";
export { backgroundResponses, conversations, keptThinking, storedResponses } from "./responses";
export { videoIdempotency, videoTasks } from "./videos";
