/** W3C Trace Context, level 1: the trace of a request, as its client names it. Pure. */

export type TraceContext = {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The client's span: 16 hexadecimal digits. */
  parentId: string;
  isSampled: boolean;
};

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_STATE_CHARACTERS = 512;

/** Parses the header; null: missing or invalid. A later version is read like this one. */
export function readTraceparent(header: string | null): TraceContext | null {
  const [, version = "", traceId = "", parentId = "", flags = "", more] =
    TRACEPARENT.exec(header ?? "") ?? [];
  const isWrong = version === "" || version === "ff" || (version === "00" && more !== undefined);
  if (isWrong || /^0+$/.test(traceId) || /^0+$/.test(parentId)) {
    return null;
  }
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, parentId, isSampled }: TraceContext): string =>
  `00-${traceId}-${parentId}-${isSampled ? "01" : "00"}`;

/** The `tracestate` header, if it may be passed on: it holds data of tracing vendors. */
export const readTracestate = (header: string | null): string | null =>
  header !== null && header.length <= MAX_STATE_CHARACTERS && /^[\x20-\x7e]+$/.test(header) ? header : null;

const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

/** The client's own request id, for the log; null: missing or invalid. */
export const readClientRequestId = (header: string | null): string | null =>
  header !== null && CLIENT_ID.test(header) ? header : null;
