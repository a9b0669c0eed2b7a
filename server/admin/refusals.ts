import { asGatewayError, errorReply } from "@/server/base/errors";
import type { Language } from "@/server/base/language";
import type { Redact } from "@/server/base/redactor";
import { jsonReply, type Reply } from "@/server/base/reply";
import { snakeCase } from "@/server/base/snake-case";
import { type Reason, Refusal } from "@/server/domain/refusal";

/** Reasons that lie in the present state, not in the request. */
const conflicts: readonly Reason[] = [
  "accountNameTaken",
  "channelChanged",
  "channelNameTaken",
  "emailTaken",
  "lastOperator",
  "lastOwner",
  "modelExists",
  "modelKindFixed",
  "priceGroupInUse",
  "priceGroupNameTaken",
  "userDisabled",
  "tooManyPeople",
];

function statusOf(reason: Reason | null): number {
  // A wrong cursor is a mistake in the request, not a missing resource.
  if (reason?.endsWith("Unknown") && reason !== "pageUnknown") {
    return 404;
  }
  return reason !== null && conflicts.includes(reason) ? 409 : 400;
}

/** Converts an error to the envelope of spec section 7, with the slug of its reason in `x-error-code`. */
export function refusalReply(
  thrown: unknown,
  { language, redact }: { language: Language; redact: Redact },
): Reply {
  if (thrown instanceof Refusal) {
    const status = statusOf(thrown.reason);
    const reply = jsonReply(status, { code: status, message: thrown.message, data: null });
    const slug = thrown.reason === null ? "refused" : snakeCase(thrown.reason);
    return { ...reply, headers: { ...reply.headers, "x-error-code": slug, "x-should-retry": "false" } };
  }
  return errorReply(asGatewayError(thrown), { language, redact, isCompat: false });
}
