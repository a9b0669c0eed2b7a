/** A client's request, with the members that the gateway reads. Every web `Request` has them; ours is cheaper. */
import { type Cancellation, fromSignal } from "./cancellation";

export type HeaderReader = Pick<Headers, "get" | "has"> & {
  /** The names, in lower case. */
  keys: () => Iterable<string>;
};

export type ClientRequest = Pick<Request, "method" | "url" | "signal" | "body" | "text" | "arrayBuffer"> & {
  headers: HeaderReader;
  /** The same as `signal`, if the server has it without one. */
  hangUp?: Cancellation;
};

/** Cancelled if the client hangs up before it has the whole answer. */
export const hangUpOf = (request: Pick<ClientRequest, "hangUp" | "signal">): Cancellation =>
  request.hangUp ?? fromSignal(request.signal);
