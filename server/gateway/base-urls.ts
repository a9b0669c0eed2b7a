/**
 * Base URLs of vendors below which everything is as below `/v1`: OpenRouter's, Azure's of today, and Azure's of before
 * where its address names no deployment.
 */
const BASES = /^\/(?:api\/v1|openai\/v1|openai(?!\/deployments(?:[/?]|$)))(?=[/?]|$)/;

/** A path, or the target of a request, as it is below `/v1`; any other as it is. */
export const servedTarget = (target: string): string => target.replace(BASES, "/v1");
