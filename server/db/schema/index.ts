export { accounts, apiKeys, rateLimits, users } from "./access";
export { accountMonths, holds, ledgerEntries } from "./billing";
export { models, videoPrices } from "./catalog";
export { channelModels, channels } from "./channels";
export { videoIdempotency, videoTasks } from "./videos";
