/** W3C Trace Context, level 1: whose trace a request belongs to, as its client says. Pure. */

export type TraceContext = {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Of the client's span; 16. */
  parentId: string;
  isSampled: boolean;
};

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_STATE_CHARACTERS = 512;

/** The header's content; null: there is none, or it is none that may be believed. A later version is read as this one. */
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

/** `tracestate`, where it may be passed on: what vendors of traces say to each other. */
export const readTracestate = (header: string | null): string | null =>
  header !== null && header.length <= MAX_STATE_CHARACTERS && /^[\x20-\x7e]+$/.test(header) ? header : null;

const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;

/** What the client calls its request, for the log; null: nothing, or nothing that may stand there. */
export const readClientRequestId = (header: string | null): string | null =>
  header !== null && CLIENT_ID.test(header) ? header : null;
