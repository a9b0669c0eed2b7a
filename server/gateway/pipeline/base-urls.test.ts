import { expect, test } from "vitest";
import { servedTarget } from "./base-urls";

test.each([
  ["/api/v1/chat/completions", "/v1/chat/completions"],
  ["/api/v1/key?x=/api/v1", "/v1/key?x=/api/v1"],
  ["/api/v1", "/v1"],
  ["/openai/v1/responses/resp_1", "/v1/responses/resp_1"],
  ["/openai/responses?api-version=2025-04-01-preview", "/v1/responses?api-version=2025-04-01-preview"],
  ["/openai/models", "/v1/models"],
  ["/openai", "/v1"],
  ["/openai/deployments/m/chat/completions", "/openai/deployments/m/chat/completions"],
  ["/openai/deployments?api-version=1", "/openai/deployments?api-version=1"],
  ["/openai/deployments-of/x", "/v1/deployments-of/x"],
  ["/api/v10/key", "/api/v10/key"],
  ["/api/trpc/models", "/api/trpc/models"],
  ["/openaix/models", "/openaix/models"],
  ["/v1/api/v1/models", "/v1/api/v1/models"],
  ["/admin/v1/keys", "/admin/v1/keys"],
])("%s is served as %s", (target, served) => {
  expect(servedTarget(target)).toBe(served);
});
