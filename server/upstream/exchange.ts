/** One request and its answer over undici, without the streams that its own `request` builds around every call. */
import type { Dispatcher } from "undici";
import type { Cancellation } from "@/server/base/cancellation";
import { type ReplyBody, UpstreamFault } from "./adapter";

export type HttpRequest = {
  method: "GET" | "POST" | "DELETE";
  origin: string;
  /** The path with its query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Ends the exchange at any time, with its reason. */
  cancellation: Cancellation;
  /** The longest silence of the upstream; without it only the cancellation ends a silence. */
  idleMs?: number;
  /**
   * The answer is handed over once its body has arrived, or as much of it as is read ahead. Without it, with the
   * answer's head.
   */
  awaitsBody?: boolean;
  /** Called when the request is written to a socket: an earlier failure has not reached the upstream. */
  onSending?: () => void;
  /** Called when the answer's head arrives. */
  onHead?: (status: number) => void;
  /** Called once when the exchange is over, however it ended. */
  onOver?: () => void;
};

export type HttpResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: ReplyBody;
  /** Drops the unread rest, and the connection if more is to come. */
  discard: () => void;
};

/** The two functions of a caller: `answer` reads an answer, `failure` turns the error of a request without one. */
type Reading<R> = { answer: (response: HttpResponse) => R; failure: (error: unknown) => unknown };

type Controller = Dispatcher.DispatchController;
type Piece = IteratorResult<Uint8Array, undefined>;

/** The most unread bytes before the upstream has to wait. */
const HIGH_WATER_BYTES = 64 * 1024;

const END: Piece = { done: true, value: undefined };

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

class HttpExchange<R> implements Dispatcher.DispatchHandler {
  readonly answer: Promise<R>;
  private readonly request: HttpRequest;
  private readonly reading: Reading<R>;
  private resolve: (answer: R) => void = () => {};
  private reject: (reason: unknown) => void = () => {};
  private controller: Controller | null = null;
  private head: Pick<HttpResponse, "status" | "headers"> | null = null;
  /** The caller has the answer, or an error in its place. */
  private isAnswered = false;
  private isOver = false;
  /** Unread pieces of the body. */
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  /** How the body ended. */
  private end: { fault: Error | null } | null = null;
  /** The reader that waits for the next piece. */
  private reader: { resolve: (piece: Piece) => void; reject: (fault: UpstreamFault) => void } | null = null;
  private isServing = false;

  constructor(request: HttpRequest, reading: Reading<R>) {
    this.request = request;
    this.reading = reading;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    request.cancellation.add(this.onCancel);
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    // The deadline passed while the request waited for a connection: it is not written.
    if (this.end?.fault) {
      controller.abort(this.end.fault);
    } else {
      this.request.onSending?.();
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: HttpResponse["headers"]): void {
    if (status >= 200) {
      this.request.onHead?.(status);
      this.head = { status, headers };
      if (!this.request.awaitsBody) {
        this.handOver();
      }
    }
  }

  onResponseData(controller: Controller, piece: Uint8Array): void {
    if (this.end === null) {
      this.waiting.push(piece);
      this.waitingBytes += piece.byteLength;
      if (this.waitingBytes >= HIGH_WATER_BYTES) {
        controller.pause();
        this.handOver();
      }
      this.wakeReader();
    }
  }

  onResponseEnd(): void {
    this.end ??= { fault: null };
    this.handOver();
    this.over();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error);
    this.over();
  }

  private handOver(): void {
    const { head } = this;
    if (head !== null && !this.isAnswered) {
      this.isAnswered = true;
      this.resolve(this.reading.answer({ ...head, body: this.body(), discard: this.leave }));
    }
  }

  private refuse(reason: unknown): void {
    if (!this.isAnswered) {
      this.isAnswered = true;
      this.reject(this.reading.failure(reason));
    }
  }

  private body(): ReplyBody {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => this.next(),
        return: async () => {
          this.leave();
          return END;
        },
      }),
      arrived: () => this.arrived(),
    };
  }

  private readonly leave = (): void => this.stop(new Error("nobody reads on"));

  /** Ends the exchange from this side and drops the unread pieces. */
  private stop(reason: Error): void {
    this.waiting = [];
    this.fail(reason);
    if (!this.isOver) {
      this.controller?.abort(reason);
    }
  }

  private readonly onCancel = (): void => {
    const { reason } = this.request.cancellation;
    // Also cuts off an exchange that has ended and is still being read.
    this.end = null;
    this.refuse(reason);
    this.stop(toError(reason));
  };

  private fail(fault: Error): void {
    this.end ??= { fault };
    this.request.cancellation.delete(this.onCancel);
    // An answer that broke off is one: its reader gets the break.
    this.handOver();
    this.refuse(fault);
    this.wakeReader();
  }

  private over(): void {
    if (!this.isOver) {
      this.isOver = true;
      this.request.onOver?.();
      this.wakeReader();
    }
  }

  /** The pieces of a body that has arrived as a whole. */
  private arrived(): Uint8Array[] | null {
    if (this.end === null || this.end.fault !== null) {
      return null;
    }
    const { waiting } = this;
    this.waiting = [];
    this.request.cancellation.delete(this.onCancel);
    return waiting;
  }

  /** Returns all unread pieces as one: a slow reader then takes fewer steps. */
  private take(): Uint8Array | null {
    const [first = null] = this.waiting;
    const all = this.waiting.length > 1 ? Buffer.concat(this.waiting) : first;
    this.waiting = [];
    this.waitingBytes = 0;
    return all;
  }

  /** Returns the next piece. Not a generator: it would pass every piece through three more promises. */
  private next(): Promise<Piece> {
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject };
      if (this.waiting.length > 0 || this.end !== null) {
        this.serveReader();
      }
    });
  }

  /** Pieces that arrive at the same moment go to the reader together. */
  private wakeReader(): void {
    if (this.reader !== null && !this.isServing) {
      this.isServing = true;
      queueMicrotask(this.serveReader);
    }
  }

  private readonly serveReader = (): void => {
    const { reader } = this;
    this.isServing = false;
    if (reader === null) {
      return;
    }
    const piece = this.take();
    if (piece !== null) {
      this.reader = null;
      this.controller?.resume();
      reader.resolve({ done: false, value: piece });
    } else if (this.end !== null) {
      const { fault } = this.end;
      this.reader = null;
      this.request.cancellation.delete(this.onCancel);
      if (fault === null) {
        reader.resolve(END);
      } else {
        reader.reject(new UpstreamFault("broken", String(fault), { cause: fault }));
      }
    }
  };
}

/**
 * Sends a request to an upstream, and returns what the caller makes of the answer, whatever its status; reads the body
 * no faster than its reader. Throws what the caller makes of undici's error for a request without an answer, or of the
 * cancellation's reason. One promise for both.
 */
export function askFor<R>(dispatcher: Dispatcher, request: HttpRequest, reading: Reading<R>): Promise<R> {
  const { origin, path, method, headers, body, idleMs, cancellation, onOver } = request;
  if (cancellation.isCancelled) {
    onOver?.();
    return Promise.reject(reading.failure(cancellation.reason));
  }
  const exchange = new HttpExchange(request, reading);
  const times = idleMs === undefined ? null : { headersTimeout: idleMs, bodyTimeout: idleMs };
  dispatcher.dispatch({ origin, path, method, headers, body: body ?? null, ...times }, exchange);
  return exchange.answer;
}

const asTheyAre: Reading<HttpResponse> = { answer: (response) => response, failure: (error) => error };

/** As `askFor`, for a caller that takes answers and errors as they are. */
export const ask = (dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> =>
  askFor(dispatcher, request, asTheyAre);
