/** Google's status name of an HTTP status (google.rpc.Code), which its SDKs read in addition to the number. */
const words: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  409: "ABORTED",
  415: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  504: "DEADLINE_EXCEEDED",
};

export const googleStatus = (status: number): string =>
  words[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "UNAVAILABLE");
