import { expect, test } from "vitest";
import { seriesColors } from "./series-colors";

const parts = (...labels: string[]) => labels.map((label) => ({ label, isOthers: false }));
const colorIn = (labels: string[], name: string) => seriesColors(parts(...labels))[labels.indexOf(name)];

test("a model has one colour, whatever its rank", () => {
  const models = ["deepseek-chat", "qwen3-max", "gpt-5-mini", "wan2.2-t2v-plus"];
  const turned = [...models].reverse();
  for (const model of models) {
    expect(colorIn(turned, model)).toBe(colorIn(models, model));
  }
});

test("up to six models have different colours, and the others are grey", () => {
  const six = parts("a", "b", "c", "d", "e", "f");
  expect(new Set(seriesColors(six)).size).toBe(6);
  expect(seriesColors([...six, { label: "Others", isOthers: true }]).at(-1)).toBe("gray.6");
});

test("more models than colours share them", () => {
  expect(seriesColors(parts("a", "b", "c", "d", "e", "f", "g"))).not.toContain("gray.6");
});
