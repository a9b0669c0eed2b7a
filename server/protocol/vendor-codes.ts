/**
 * The status that a vendor's error code stands for. Tencent answers every call with 200, and errors in the middle of a
 * stream have no status of their own: only the code says whether the credential, its limit or the request is at fault.
 * The first match counts.
 */
const statuses: [RegExp, number][] = [
  [/^AuthFailure\.UnauthorizedOperation$/, 403],
  [/^InvalidParameterValue\.Model$|^Model_?Not_?(?:Found|Exist)(?:\.|$)/i, 404],
  [/^InternalError\.Algo\.InvalidParameter$/, 400],
  [/^(?:AuthFailure|Invalid_?Api_?Key|Unauthenticated|Authentication_?Error)(?:\.|$)/i, 401],
  [
    /^(?:Arrearage|Insufficient_?(?:Quota|Balance|Credits|Funds)|Billing_?Error|ResourceUnavailable\.(?:InArrears|LowBalance)|FailedOperation\.(?:(?:Free)?ResourcePackExhausted|ServiceStopArrears))(?:\.|$)/i,
    402,
  ],
  [/^(?:UnauthorizedOperation|Access_?Denied|Permission_?(?:Denied|Error))(?:\.|$)/i, 403],
  [
    /^(?:Request)?LimitExceeded(?:\.|$)|^Throttling(?:\.|$)|^Rate_?Limit|^Resource_?Exhausted$|^Too_?Many_?Requests$/i,
    429,
  ],
  [/^(?:Overloaded(?:_Error)?|Server_?(?:Is_)?Overloaded|Service_?Unavailable|Unavailable)(?:\.|$)/i, 503],
  [/^(?:Internal(?:_?(?:Server)?_?Error)?|Server_?Error)(?:\.|$)/i, 500],
  [/^(?:Invalid_?Parameter(?:Value|_Error)?|MissingParameter|UnknownParameter)(?:\.|$)/i, 400],
  [/^(?:context_length_exceeded|invalid_prompt|content_policy_violation)$/, 400],
];

/** MiniMax's numbers (`base_resp.status_code`), which are in answers with HTTP's 200. */
const miniMax: Record<number, number> = {
  ...{
    1002: 429,
    1039: 429,
    1004: 401,
    2049: 401,
    1008: 402,
    1000: 500,
    1001: 504,
    1013: 500,
    1026: 400,
    2013: 400,
  },
};

/** The status of an error code in words; undefined: the code stands for none. */
export const statusOfCode = (code: string): number | undefined =>
  statuses.find(([pattern]) => pattern.test(code))?.[1];

/** The status of a MiniMax code; undefined: unknown. */
export const statusOfMiniMax = (code: number): number | undefined => miniMax[code];
