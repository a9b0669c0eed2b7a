/**
 * Console: the door for people. Knows sessions, tRPC and the content of pages; holds no business rules. Promises that
 * every call reads its user again, so that a disabled account or an ended session is refused at the next call, and that
 * no text of an unexpected error reaches the browser.
 */
export { answerAuth } from "./auth";
export { type Documented, describeForDocs } from "./documented";
export { answerExport } from "./exports/answer";
export { answerTrpc } from "./http";
export { describeInstallation, type Installation } from "./installation";
export { localLink } from "./local-link";
export { sendsMail } from "./mail";
export { findProviderName } from "./oidc";
export { answerPlayground } from "./playground";
export type { AppRouter } from "./root";
export { answerUnsubscribe, openUnsubscribe } from "./unsubscribe";
export { findViewer } from "./viewer";
