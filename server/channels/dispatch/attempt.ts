import { type Cancellation, CancellationSource } from "@/server/base/cancellation";
import type { Timers } from "@/server/base/clock";
import { onSilence } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { withoutSecrets } from "@/server/base/redactor";
import type { AccountId } from "@/server/domain/ids";
import { describeErrorBody, readErrorNames, readGoogleDetails } from "@/server/protocol/upstream-error";
import {
  type Operation,
  readText,
  type Upstream,
  type UpstreamCall,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
import type { Trial } from "../health/registry";
import type { Route } from "../routing/routes";
import type { Chosen } from "../routing/routing";
import { type Attempt, type AttemptEnd, beginAttempt, endAttempt, sinceBegan } from "./attempts";
import { OUTRUN } from "./hedge";

/** A call in the form that one route's upstream expects. */
export type AttemptPlan = {
  operation: Operation;
  /** The path below the base URL, if the operation alone does not determine it. */
  path?: string;
  body: UpstreamCall["body"];
  headers: Record<string, string>;
};

/** One client call on its way out. */
export type Dispatch<T, P extends AttemptPlan> = Chosen & {
  /** The account that makes the call. Faults that its requests may cause must not close a channel to other accounts. */
  accountId: AccountId;
  /** How often the call is sent again, after a short wait, if no channel took it. Default: 2. */
  repeats?: number;
  /** Throws cannotConvert if the route cannot take this call; another route may. */
  plan: (route: Route) => Eventual<P>;
  /**
   * Reads enough of a 2xx reply to know that it is good, before the client receives anything. Throws UpstreamFault to
   * make dispatch try the next channel, GatewayError to end the call.
   */
  accept: (reply: UpstreamReply, plan: P, attempt: Attempt) => Eventual<T>;
  /** The accepted reply is a stream that has not ended yet; the caller reports its end. */
  isStream?: boolean;
  /** For streams: if no stream has begun after this time, dispatch also asks the next channel. null: it only waits. */
  hedgeAfterMs?: number | null;
  /** Headers for every upstream: the trace that the call belongs to. */
  passedOn: Record<string, string>;
  /** Dispatch adds each attempt when it begins and fills it in until it ends. */
  attempts: Attempt[];
  /** The client's hang-up. */
  cancellation: Cancellation;
};

/** The call with its plan for one route. */
export type Planned<P> = { route: Route; plan: P; send: NonNullable<Upstream[Operation]> };

/**
 * A call that a channel took. `abort` ends the upstream's reply early. `ended` reports the end of a stream, once; other
 * replies have ended already.
 */
export type Dispatched<T> = {
  route: Route;
  accepted: T;
  abort: () => void;
  ended: (end: AttemptEnd) => void;
};

/** The call with the stop of the process and the observer that receives each ended attempt. */
export type Outgoing<T, P extends AttemptPlan> = Dispatch<T, P> & {
  stopping: Cancellation;
  timers: Timers;
  observe: (attempt: Attempt) => void;
  /** Receives the time that a route took to answer, or a lower bound of it. */
  measured: (route: Route, ms: number) => void;
};

/** Why the call needs no answer any more: the reason, otherwise "the client has gone". null: the client waits. */
export function endOf(
  { cancellation, stopping }: Pick<Outgoing<unknown, AttemptPlan>, "cancellation" | "stopping">,
  cause?: unknown,
): GatewayError | null {
  const ended = cancellation.isCancelled ? cancellation : stopping;
  if (!ended.isCancelled) {
    return null;
  }
  return ended.reason instanceof GatewayError ? ended.reason : new GatewayError("clientGone", "", { cause });
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Throws the error that the reply's status stands for, and records its names. */
async function refuse(reply: UpstreamReply, secret: string, attempt: Attempt): Promise<never> {
  const { status } = reply;
  const text = await readText(reply.body, MAX_ERROR_BYTES).catch(() => "");
  // Redact before describeErrorBody shortens the text, which could leave part of the credential. Escaped text is
  // redacted later, with the rest.
  const safe = withoutSecrets(text, [secret]);
  const words = describeErrorBody(safe);
  attempt.vendorError = readErrorNames(safe);
  reply.discard();
  const google = readGoogleDetails(text);
  if ((status === 400 && !google.isOfCredential) || status === 413 || status === 422) {
    throw new GatewayError("upstreamRejected", words || `HTTP ${status}`);
  }
  throw new UpstreamFault("refused", `${status} ${words}`, {
    // Other vendors answer 401 to an invalid key.
    status: google.isOfCredential ? 401 : status,
    retryAfterMs: reply.retryAfterMs ?? google.retryAfterMs,
  });
}

/** Turns a thrown error into this attempt's end, without the credential that an upstream may have echoed. */
function asEnd(error: unknown, secret: string): UpstreamFault | GatewayError {
  const end =
    error instanceof UpstreamFault || error instanceof GatewayError
      ? error
      : new UpstreamFault("ours", String(error), { cause: error });
  const message = withoutSecrets(end.message, [secret]);
  if (message === end.message || (end instanceof GatewayError && end.kind !== "upstreamRejected")) {
    return end;
  }
  // A new error, because the stack and the cause of the old one contain its message.
  return end instanceof GatewayError
    ? new GatewayError("upstreamRejected", message)
    : new UpstreamFault(end.reason, message, {
        ...(end.status !== null && { status: end.status }),
        retryAfterMs: end.retryAfterMs,
      });
}

/** The credential of an attempt and its display form, its deadline, and its admission by the channel's health. */
type AttemptTerms = { secret: string; hint: string; timeoutMs: number; trial: Trial };

/**
 * One request to one upstream, which reports to the channel's health how it ends. Until its answer is accepted, the
 * deadline, the client's hang-up or the process's stop ends it; after that, the caller does. The steps: `send`, `accept`,
 * then `succeed` or `fail`, and in any case `close`. Only the first two may wait.
 */
export class UpstreamAttempt<T, P extends AttemptPlan> {
  readonly #call: Outgoing<T, P>;
  readonly #planned: Planned<P>;
  readonly #terms: AttemptTerms;
  readonly #record: Attempt;
  readonly #source = new CancellationSource();
  readonly #endDeadline: () => void;

  constructor(call: Outgoing<T, P>, planned: Planned<P>, terms: AttemptTerms) {
    const { route, plan } = planned;
    const { timeoutMs } = terms;
    this.#call = call;
    this.#planned = planned;
    this.#terms = terms;
    this.#record = beginAttempt({
      channelId: route.channelId,
      channelVersion: route.version,
      channel: route.name,
      api: route.api,
      operation: plan.operation,
      credential: terms.hint,
      modelId: call.modelId,
      upstreamModel: route.upstreamName,
    });
    call.attempts.push(this.#record);
    call.cancellation.add(this.#abort);
    call.stopping.add(this.#abort);
    if (endOf(call)) {
      this.#abort();
    }
    this.#endDeadline = onSilence(
      timeoutMs,
      () => this.#source.cancel(new UpstreamFault("timeout", `no answer within ${timeoutMs} ms`)),
      call.timers,
    );
  }

  /** Sends the request. Throws what the upstream's adapter does. */
  send(): Promise<UpstreamReply> {
    const { route, plan, send } = this.#planned;
    return send({
      owner: this.#call.accountId,
      baseUrl: route.baseUrl,
      secret: this.#terms.secret,
      body: plan.body,
      headers: { ...this.#call.passedOn, ...plan.headers },
      ...(plan.path !== undefined && { path: plan.path }),
      cancellation: this.#source,
      awaitsBody: !this.#call.isStream,
      onHead: this.#noteHead,
    });
  }

  /** Reads enough of the reply to know that it is good. Throws UpstreamFault or GatewayError. */
  accept(reply: UpstreamReply): Eventual<T> {
    const { status } = reply;
    this.#noteHead(status);
    return status >= 200 && status < 300
      ? this.#call.accept(reply, this.#planned.plan, this.#record)
      : refuse(reply, this.#terms.secret, this.#record);
  }

  succeed(accepted: T): Dispatched<T> {
    const { route } = this.#planned;
    this.#measure();
    if (this.#call.isStream) {
      this.#record.firstMs = sinceBegan(this.#record);
      this.#terms.trial.streamBegan();
      return { route, accepted, abort: this.#abort, ended: this.#ended };
    }
    this.#ended("ok");
    return { route, accepted, abort: this.#abort, ended: () => {} };
  }

  /** Returns the fault, after which another attempt may succeed. Throws the error that ends the call. */
  fail(error: unknown): UpstreamFault {
    const unwanted = endOf(this.#call, error);
    if (unwanted) {
      // Not the channel's fault, so its breaker must not count it.
      this.#abort();
      if (unwanted === OUTRUN) {
        this.#measure();
      }
      this.#ended("abandoned");
      throw unwanted;
    }
    const cause = this.#source.reason;
    const isBusy = error instanceof UpstreamFault && error.reason === "busy";
    const fault = cause instanceof UpstreamFault && !isBusy ? cause : error;
    this.#abort();
    const end = asEnd(fault, this.#terms.secret);
    if (end instanceof GatewayError) {
      this.#ended("rejected");
      throw end;
    }
    if (end.reason === "timeout") {
      this.#measure();
    }
    this.#ended(end);
    return end;
  }

  /** Ends the deadline, and the bond to the client and the process. */
  close(): void {
    this.#call.cancellation.delete(this.#abort);
    this.#call.stopping.delete(this.#abort);
    this.#endDeadline();
  }

  readonly #abort = (): void => this.#source.cancel();

  readonly #ended = (end: AttemptEnd): void => {
    endAttempt(this.#record, end, this.#terms.secret);
    this.#call.observe(this.#record);
    this.#terms.trial.ended(end, this.#record);
  };

  readonly #noteHead = (status: number): void => {
    if (this.#record.status === null) {
      this.#record.status = status;
      this.#record.headMs = sinceBegan(this.#record);
    }
  };

  #measure(): void {
    this.#call.measured(this.#planned.route, sinceBegan(this.#record));
  }
}
