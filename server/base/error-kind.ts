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
   * Whether the official SDKs may repeat the call (`x-should-retry`): they must not repeat a call that was charged. Without
   * this member they do not repeat a 4xx other than 429, because the client has to change it first.
   */
  retry?: boolean;
  /** An upstream's words, which may have a credential in them. */
  quotes?: true;
  /** What an SDK needs in the body to recover by itself. Everywhere else the envelope has three keys. */
  sdkError?: Record<string, unknown>;
};
