import { expect, test } from "vitest";
import { openApi } from "./openapi";
import { reference } from "./reference";

test("the reference page is the one of these declarations", async () => {
  await expect(reference(openApi())).toMatchFileSnapshot("../../docs/admin-api-reference.md");
});
