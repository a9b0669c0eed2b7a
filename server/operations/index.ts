/**
 * Operations: every change by people, declared once. The console's procedures and the commands only name the actor and
 * pass the input. Promises one transaction around a change and its audit entry, and the same entry whichever door was
 * used.
 */

export * as accountOperations from "./accounts";
export * as alertOperations from "./alerts";
export * as channelSaleOperations from "./channel-sales";
export * as channelOperations from "./channels";
export * as codeOperations from "./codes";
export * as costOperations from "./costs";
export * as erasureOperations from "./erasure";
export { runOnce as answerOnce } from "./idempotent-operation";
export type { KeyView } from "./keys";
export * as keyOperations from "./keys";
export * as ledgerOperations from "./ledger";
export * as managementKeyOperations from "./management-keys";
export * as modelOperations from "./models";
export * as offers from "./offers";
export {
  type Operation,
  type OperationContext as Door,
  type Requirement as Need,
  runOperation,
} from "./operation";
export * as paymentOperations from "./payments";
export * as priceFileOperations from "./price-files";
export * as priceGroupOperations from "./price-groups";
export * as priceListOperations from "./price-lists";
export * as priceOperations from "./prices";
export * as refundOperations from "./refunds";
export { ensureSecretChecks, findWrongSecrets, refuseWrongSecrets } from "./secret-checks";
export * as secretsOperations from "./secrets";
export * as securityOperations from "./security";
export * as taskOperations from "./tasks";
export * as userOperations from "./users";
export * as webhookOperations from "./webhooks";
