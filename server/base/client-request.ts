/** What the gateway reads of a client's request. A web `Request` is one; Node's server makes a cheaper one. */

export type HeaderReader = Pick<Headers, "get" | "has"> & {
  /** The names, in lower case. */
  keys: () => Iterable<string>;
};

export type ClientRequest = Pick<Request, "method" | "url" | "signal" | "body" | "text" | "arrayBuffer"> & {
  headers: HeaderReader;
};
