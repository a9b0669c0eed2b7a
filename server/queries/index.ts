/**
 * Queries: reads by more than one door, declared once. The console's procedures and the admin API only name the asker.
 * Promises that an owner's answer has no data of another account, and none that only operators may see.
 */
export * as accountQueries from "./accounts";
export * as alertQueries from "./alerts";
export * as auditQueries from "./audit";
export { findBelowCost } from "./below-cost";
export * as callQueries from "./calls";
export * as channelQueries from "./channels";
export * as codeQueries from "./codes";
export * as costQueries from "./costs";
export * as keyQueries from "./keys";
export { spendOfLastDays } from "./last-days";
export * as managementKeyQueries from "./management-keys";
export * as modelQueries from "./models";
export * as offerQueries from "./offers";
export * as paymentQueries from "./payments";
export * as priceEstimateQueries from "./price-estimates";
export * as priceFileQueries from "./price-files";
export * as priceGridQueries from "./price-grid";
export * as priceGroupQueries from "./price-groups";
export * as priceListQueries from "./price-lists";
export * as priceQueries from "./prices";
export type { Query, QueryContext as Reading } from "./query";
export * as statementQueries from "./statements";
export * as taskQueries from "./tasks";
export * as unusualDayQueries from "./unusual-day";
export * as usageQueries from "./usage";
export * as userQueries from "./users";
export * as webhookQueries from "./webhooks";
export * as wholeStatementQueries from "./whole-statements";
