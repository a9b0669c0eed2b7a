/**
 * Vendors' base URLs that stand for `/v1`: OpenRouter's, Azure's current one, and Azure's earlier one if its address
 * names no deployment.
 */
const BASES = /^\/(?:api\/v1|openai\/v1|openai(?!\/deployments(?:[/?]|$)))(?=[/?]|$)/;

/** Maps the path or the target of a request from such a base URL to `/v1`. Leaves any other as it is. */
export const servedTarget = (target: string): string => target.replace(BASES, "/v1");
