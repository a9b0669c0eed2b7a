import { expect, test } from "vitest";
import type { Model } from "@/server/catalog";
import { emptySheet } from "@/server/pricing";
import { anthropicPage, googlePage } from "./model-pages";

const modelOf = (id: string) =>
  ({
    ...{ id, kind: "chat", ownedBy: "us", createdAt: new Date(0), maxOutputTokens: 10, contextWindow: null },
    ...{ inputModalities: null, outputModalities: null, hasTools: null, hasThinking: null },
    prices: emptySheet,
  }) as unknown as Model;
const models = ["a", "b", "c", "d", "e"].map(modelOf);
const without = (id: string) => models.filter((model) => model.id !== id);
const query = (text: string) => new URLSearchParams(text);
const idsOf = ({ data }: ReturnType<typeof anthropicPage>) => data.map(({ id }) => id).join("");

test("Google's pages have all models in order, even if the last model of a page leaves the list", () => {
  const first = googlePage(models, query("pageSize=2"));
  const rest = googlePage(without("b"), query(`pageSize=2&pageToken=${first.nextPageToken}`));
  expect([first, rest].map((page) => page.models.map(({ name }) => name))).toEqual([
    ["models/a", "models/b"],
    ["models/c", "models/d"],
  ]);
  expect(googlePage(models, query(`pageToken=${rest.nextPageToken}`))).not.toHaveProperty("nextPageToken");
});

test.each([
  ["limit=2", "ab", true],
  ["limit=2&after_id=b", "cd", true],
  ["limit=2&after_id=d", "e", false],
  ["limit=2&before_id=d", "bc", true],
  ["limit=9&before_id=d", "abc", false],
  ["limit=0&after_id=e", "", false],
  ["limit=x", "abcde", false],
])("Anthropic's page of %s has its models", (text, ids, hasMore) => {
  const page = anthropicPage(models, query(text));
  expect([idsOf(page), page.has_more]).toEqual([ids, hasMore]);
});

test("Anthropic's page continues at the place of a model that has left the list", () => {
  expect(idsOf(anthropicPage(without("c"), query("limit=2&after_id=c")))).toBe("de");
  expect(idsOf(anthropicPage(without("c"), query("limit=2&before_id=c")))).toBe("ab");
});
