import { z } from "zod";
import { failures } from "@/server/domain/task-failures";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import { readJson } from "./read-json";

export type FailureCode =
  | "content_policy"
  | "invalid_request"
  | "upstream_capacity"
  | "upstream_expired"
  | "upstream_error";

/** `account`: the channel's own key, balance or models. */
type Blame = "content_policy" | "upstream_capacity" | "account" | "invalid_request";

// The first match counts: InvalidApiKey is not about the request.
const blames: [RegExp, Blame][] = [
  [
    /inspection|sensitive|moderat(ion|ed)|polic(y|ies)|safety|risk|content_?filter|inappropriate/i,
    "content_policy",
  ],
  [/throttl|rate_?limit|quota|capacity|overload|concurren|too_?many|busy/i, "upstream_capacity"],
  [/api_?key|auth|access|arrear|overdue|balance|billing|model_?not_?(found|exist)|permission/i, "account"],
  [/invalid|bad_?request|missing|unsupported|not_?support/i, "invalid_request"],
];

/** The cause that a vendor's error code names; null: unknown. */
export const blameOf = (vendorCode: string | null | undefined): Blame | null =>
  blames.find(([pattern]) => pattern.test(vendorCode ?? ""))?.[1] ?? null;

/** The gateway's code for a vendor's error code. */
export function failureCode(vendorCode: string | null | undefined): FailureCode {
  if (/^expired$/i.test(vendorCode ?? "")) {
    return "upstream_expired";
  }
  const blame = blameOf(vendorCode);
  return blame === null || blame === "account" ? "upstream_error" : blame;
}

const ErrorBody = z.looseObject({
  code: z.union([z.string(), z.number()]).nullish(),
  error: z
    .union([
      z.looseObject({
        code: z.union([z.string(), z.number()]).nullish(),
        type: z.string().nullish(),
      }),
      z.string(),
    ])
    .nullish(),
});

export type VendorError = {
  /** The vendor's code; null if the body is not an error of a known form. */
  code: string | null;
  message: string;
};

/** Reads an error body. */
export function readError(text: string | null): VendorError {
  const parsed = readJson(text, ErrorBody);
  const error = typeof parsed?.error === "object" ? parsed.error : null;
  const code = error?.code ?? error?.type ?? parsed?.code ?? (parsed?.error ? "error" : null);
  // A proxy's HTML page does not help a client.
  const words = parsed ? describeErrorBody(text ?? "") : "";
  return { code: code === null ? null : String(code), message: words || failures.upstreamSilent.zh };
}
