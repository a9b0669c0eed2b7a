export * from "./audit";
export * from "./calls";
export { accountMonths, holds, ledgerEntries } from "./billing";
export { accounts, apiKeys, rateLimits, users } from "./access";
export { channelModels, channels } from "./channels";
export { models, videoPrices } from "./catalog";
export { videoIdempotency, videoTasks } from "./videos";
