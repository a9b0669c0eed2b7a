/**
 * The names that a vendor gives an error, such as `invalid_request_error`, `context_length_exceeded` and
 * `messages[0].content`. Names only, of a bounded length: a text could quote the request.
 */
export type VendorError = { type?: string; code?: string; param?: string };
