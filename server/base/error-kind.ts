import type { Texts } from "./language";

/**
 * The form of an error kind. The wording of the kinds that spec section 7 lists is part of the API contract; `slug`
 * goes into `x-error-code`, because the official SDKs drop the envelope's text but keep headers.
 */
export type ErrorDefinition = {
  status: number;
  slug: string;
  /**
   * A function with the spec's own text, the same in every language, or with our text in each language; `explained`:
   * the detail is the text.
   */
  text: ((detail: string) => string) | ((detail: string) => Texts) | "explained";
  /** English version of the spec's text, for the members that SDKs read in addition to the envelope. */
  english?: (detail: string) => string;
  /**
   * Whether the official SDKs may repeat the call (`x-should-retry`): they must not repeat a call that was charged. Without
   * this member they do not repeat a 4xx other than 429, because the client has to change it first.
   */
  retry?: boolean;
  /** The text quotes an upstream, so it may contain a credential. */
  quotesUpstream?: true;
  /** An error body that an SDK needs to recover by itself. Everywhere else the envelope has three keys. */
  sdkError?: Record<string, unknown>;
};
