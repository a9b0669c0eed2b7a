import { expect, test } from "vitest";
import { readUpstreamError } from "./upstream-error";
import { statusOfCode, statusOfMiniMax } from "./vendor-codes";

test.each([
  ["AuthFailure.SignatureFailure", 401],
  ["AuthFailure.UnauthorizedOperation", 403],
  ["FailedOperation.ServiceStopArrears", 402],
  ["ServerOverloaded", 503],
  ["server_is_overloaded", 503],
  ["InvalidApiKey", 401],
  ["invalid_api_key", 401],
  ["UNAUTHENTICATED", 401],
  ["insufficient_quota", 402],
  ["ResourceUnavailable.LowBalance", 402],
  ["UnauthorizedOperation", 403],
  ["PERMISSION_DENIED", 403],
  ["RequestLimitExceeded", 429],
  ["LimitExceeded.Concurrency", 429],
  ["Throttling.RateQuota", 429],
  ["rate_limit_exceeded", 429],
  ["RESOURCE_EXHAUSTED", 429],
  ["overloaded_error", 503],
  ["UNAVAILABLE", 503],
  ["InternalError.Algo", 500],
  ["server_error", 500],
  ["InvalidParameterValue.Model", 404],
  ["model_not_found", 404],
  ["InvalidParameterValue", 400],
  ["invalid_parameter_error", 400],
  ["InternalError.Algo.InvalidParameter", 400],
  ["context_length_exceeded", 400],
])("the code %s stands for %i", (code, status) => {
  expect(statusOfCode(code)).toBe(status);
});

test.each(["", "invalid_request_error", "api_error", "FailedOperation", "1234", "internal_team", "limit"])(
  "the code %j stands for no status",
  (code) => {
    expect(statusOfCode(code)).toBeUndefined();
  },
);

test("MiniMax's numbers stand for statuses, and only in its own member", () => {
  expect([statusOfMiniMax(1002), statusOfMiniMax(1004), statusOfMiniMax(9)]).toEqual([429, 401, undefined]);
  expect(readUpstreamError({ base_resp: { status_code: 1004, status_msg: "bad key" } })?.status).toBe(401);
  expect(readUpstreamError({ error: { code: 1004, message: "bad key" } })?.status).toBeNull();
});

test("an error with a number of HTTP's keeps it, whatever its code says", () => {
  expect(
    readUpstreamError({ error: { code: "rate_limit_exceeded", status: 503, message: "later" } })?.status,
  ).toBe(503);
});
