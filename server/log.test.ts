import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { describeError } from "./log";

const failedQuery = new DrizzleQueryError(
  'update "users" set "password_hash" = $1',
  ["$argon2id$v=19$hash"],
  new Error("the connection was lost"),
);

test.each([
  ["by itself", failedQuery],
  ["as another error's cause", new Error("no answer", { cause: failedQuery })],
])(
  "a failed query is logged %s with its text and the database's words, and without its parameters",
  (_, error) => {
    const logged = JSON.stringify(describeError(error));
    expect(logged).toContain("password_hash");
    expect(logged).toContain("the connection was lost");
    expect(logged).not.toContain("argon2id");
  },
);

test("any other error is logged with its words and its cause's", () => {
  const error = new Error("it broke", { cause: new Error("of rust") });
  expect(describeError(error)).toMatchObject({ type: "Error", message: "it broke: of rust" });
});
