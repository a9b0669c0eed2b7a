import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { setMembers } from "../json/splice";
import type { JsonText } from "../json/text";
import { estimateInput } from "../usage/estimate";
import { withoutUnsignedThinking } from "./history";
import { parseMessagesRequest } from "./request";

/** A request for a count, as plain data: counts are free, so the gateway checks nothing more. */
export type CountRequest = Omit<JsonText, "fields"> & {
  model: string;
  /** The estimate. */
  inputTokens: number;
  /** JSON of the members that change for an upstream that checks signatures; null: too large to rewrite. */
  signedOnly: Record<string, unknown> | null;
};

/** The largest history, in characters, that is rewritten for a count. */
const MAX_REWRITTEN = 1_000_000;

/** Throws the 400s of spec section 7. */
export function parseCountRequest(text: string): CountRequest {
  const { raw, members, end, model, fields } = parseMessagesRequest(text);
  const changes = withoutUnsignedThinking(fields);
  const isLarge = changes.messages !== undefined && raw.length > MAX_REWRITTEN;
  return {
    raw,
    members,
    end,
    model,
    inputTokens: estimateInput(fields),
    signedOnly: isLarge ? null : changes,
  };
}

/** The body for an upstream. Throws cannotConvert. */
export function countBody(
  request: CountRequest,
  { name, checksSignatures }: { name: string; checksSignatures: boolean },
): string {
  if (checksSignatures && request.signedOnly === null) {
    throw new GatewayError("cannotConvert", errorMessages.tooLargeToCount());
  }
  return setMembers(request, { model: name, ...(checksSignatures && request.signedOnly) });
}
