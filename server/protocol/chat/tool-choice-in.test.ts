import { expect, test } from "vitest";
import { forcesTool } from "./tool-choice-in";

const tools = [{ type: "function", function: { name: "look" } }];

test.each<[unknown, boolean]>([
  [undefined, false],
  [null, false],
  ["none", false],
  ["auto", false],
  ["required", true],
  ["any", true],
  ["of tomorrow", false],
  [{ type: "auto" }, false],
  [{ type: "any" }, true],
  [{ type: "function", function: { name: "look" } }, true],
  [{ type: "allowed_tools", allowed_tools: { mode: "auto", tools } }, false],
  [{ type: "allowed_tools", allowed_tools: { mode: "required", tools } }, true],
  [{ type: "allowed_tools", mode: "required", tools }, true],
  [{ type: "allowed_tools", tools }, false],
])("the tool choice %j forces a tool: %s", (tool_choice, isForced) => {
  expect(forcesTool({ tool_choice })).toBe(isForced);
});
