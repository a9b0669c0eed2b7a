/** The limits of an account. Apart from the fields, which a page fetches when they are first needed. */
export const limitNames = ["maxConcurrent", "requestsPerMinute", "tokensPerMinute"] as const;
