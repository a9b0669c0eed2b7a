import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { open } from "./models-dev.mjs";

const folder = mkdtempSync(join(tmpdir(), "models-dev-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const text = '[modalities]\ninput = ["text"]\noutput = ["text"]\n';
const model = (provider: string, id: string, cost: string) =>
  write(`providers/${provider}/models/${id}.toml`, `[cost]\n${cost}\n${text}`);
const cost = "[cost]\ninput = 1\noutput = 2\n";

const steps = "[[cost.tiers]]\ntier = { size = 200_000 }\ninput = 2\noutput = 9";
model("maker", "stepped-1", `input = 1\noutput = 4\n${steps}`);
model("maker", "usual-1-20260101", "input = 1\noutput = 4\ncache_read = 0.1\ncache_write = 0");
model("host", "maker/stepped-1", "input = 1\noutput = 4");
model("host", "maker/stepped.1:fast", `input = 1\noutput = 4\n${steps}`);
model("host", "free", "input = 0\noutput = 0");
model("host", "half", "input = 1\noutput = 0");
model("host", "asking", "input = 1\noutput = 1\nrequest = 5");
model("host", "thinking-alike", "input = 1\noutput = 2\nreasoning = 2");
model("host", "thinking-dear", "input = 1\noutput = 2\nreasoning = 3");
model("host", "storing", "input = 1\noutput = 2\ncache_write = 0.5");
write("providers/host/models/old.toml", `status = "deprecated"\n${cost}${text}`);
write("models/maker/hearing.toml", '[modalities]\ninput = ["text", "audio"]\noutput = ["text"]\n');
write("providers/host/models/hearing.toml", `base_model = "maker/hearing"\n${cost}`);
write("providers/host/models/drawing.toml", cost + text.replace('output = ["text"]', 'output = ["image"]'));
symlinkSync("../../maker/models/usual-1-20260101.toml", join(folder, "providers/host/models/linked.toml"));
symlinkSync("../../maker/models/nowhere.toml", join(folder, "providers/host/models/broken.toml"));

test("a model is listed with steps and links followed, and left out if its list would lack a charge", () => {
  const rows = Object.fromEntries(open(folder, "2026-07-02", {}).rowsOf("host"));
  expect(rows).toEqual({
    linked: { input: "1", output: "4", cache_read: "0.1" },
    "maker/stepped.1:fast": { input: "1", output: "4", "input@200k": "2", "output@200k": "9" },
    "thinking-alike": { input: "1", output: "2" },
  });
});

test("a model whose maker has a newer price is left out, and an older list changes nothing", () => {
  model("deepseek", "chat-4", "input = 1\noutput = 2");
  model("router", "deepseek/chat-4", "input = 1\noutput = 2");
  const listed = (date: string) => {
    const lists = { deepseek: { date, models: { "chat-4": { input: "1.5", output: "2" } } } };
    return open(folder, "2026-07-02", lists).rowsOf("router");
  };
  expect(listed("2026-09-23")).toEqual([]);
  expect(listed("2026-05-01")).toEqual([["deepseek/chat-4", { input: "1", output: "2" }]]);
});
