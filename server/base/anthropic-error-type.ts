/** Anthropic's error type of an HTTP status, by which its clients tell what to do (platform.claude.com, API errors). */
const types: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

export const anthropicErrorType = (status: number): string =>
  types[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
