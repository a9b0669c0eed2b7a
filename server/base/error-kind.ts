import type { Texts } from "./language";

/**
 * Everything Tollgate can refuse with. The wording of the kinds that spec section 7 lists is wire contract;
 * `slug` goes into `x-error-code`, because the official SDKs drop the envelope's text but keep headers.
 */
export type Kind = {
  status: number;
  slug: string;
  /** The spec's own words, the same in every language; else what is said in each. */
  text: ((detail: string) => string) | ((detail: string) => Texts) | "explained";
  /** The spec's own words in English, for the members that SDKs read beside the envelope. */
  english?: (detail: string) => string;
  /**
   * Whether the official SDKs may repeat the call (`x-should-retry`): not one that was bought already. Unless it is
   * said here, what the client has to change first (any 4xx but 429) is never worth a repeat.
   */
  retry?: boolean;
  /** An upstream's words, which may have a credential in them. */
  quotes?: true;
  /** What an SDK must find in the body to go on by itself. The envelope has three keys everywhere else. */
  sdkError?: Record<string, unknown>;
};
