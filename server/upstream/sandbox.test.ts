import { describe, expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { aspectRatios } from "@/server/domain/enums";
import { collectItems } from "@/tests/support/collect-items";
import { readText } from "./body";
import { sandboxUpstream } from "./sandbox";
import { sandboxVideos } from "./videos/sandbox";

type CompletionChoice = { index: number; message: { content: string }; finish_reason: string };
type ChatCompletion = { id: string; choices: CompletionChoice[]; usage: { completion_tokens: number } };

const signal = new AbortController().signal;
const hello = [{ role: "user", content: "Hello" }];

async function send(fields: object): Promise<string> {
  const body = JSON.stringify({ model: "sandbox-chat", messages: hello, ...fields });
  const call = {
    owner: "a",
    baseUrl: "",
    secret: "",
    headers: {},
    body,
    cancellation: new CancellationSource(),
  };
  const reply = await sandboxUpstream.chat?.(call);
  return reply ? await readText(reply.body, 1e6) : "";
}
const ask = async (fields: object = {}) => JSON.parse(await send(fields)) as ChatCompletion;
const answerTo = async (fields: object) => (await ask(fields)).choices[0]?.message.content ?? "";

describe("the sandbox's chat", () => {
  test("gives every answer its own id", async () => {
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(3);
  });

  test("reads the last text of the last turn as the question, and accepts a turn without content", async () => {
    const parts = [
      { type: "text", text: "<reminder>" },
      { type: "text", text: "What now?" },
      { type: "image_url", image_url: { url: "data:," } },
    ];
    expect(await answerTo({ messages: [{ role: "user", content: parts }] })).toContain('"What now?"');
    const calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const loop = [...hello, { role: "assistant", tool_calls: calls }, { role: "tool", content: "ok" }];
    expect(await answerTo({ messages: loop })).toContain('"Hello"');
  });

  test("ends before the first stop sequence, and counts its output", async () => {
    const whole = await ask();
    const stopped = await ask({ stop: ["sandbox", "Tollgate"] });
    expect(stopped.choices[0]?.message.content).toBe('You said: "Hello". This is the ');
    expect(stopped.choices[0]?.finish_reason).toBe("stop");
    expect(stopped.usage.completion_tokens).toBe(6);
    expect(whole.usage.completion_tokens).toBeGreaterThan(6);
    expect(await answerTo({ stop: "" })).toBe(whole.choices[0]?.message.content);
  });

  test("spends a small budget on thinking if it is the reasoning model (spec 4.2 rule 1)", async () => {
    expect(await ask({ model: "sandbox-reasoner", max_tokens: 5 })).toMatchObject({
      choices: [
        { finish_reason: "length", message: { content: "", reasoning_content: expect.stringMatching(/\w/) } },
      ],
      usage: { completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 5 } },
    });
  });

  test("gives the requested number of choices, and counts them all, streamed too", async () => {
    const [single, triple] = [await ask(), await ask({ n: 3 })];
    expect(triple.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(triple.usage.completion_tokens).toBe(3 * single.usage.completion_tokens);
    const text = await send({ n: 2, stream: true, max_tokens: 2 });
    const chunks = text.split("\n\n").flatMap((frame) => {
      const data = frame.replace(/^data: /, "");
      return data.startsWith("{")
        ? [JSON.parse(data) as { choices: { index: number; delta: object }[] }]
        : [];
    });
    const contentChoices = chunks.flatMap(({ choices }) => choices).filter(({ delta }) => "content" in delta);
    expect(contentChoices.map(({ index }) => index)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 4 } });
  });
});

/** Width divided by height, from the video's track header: 16.16 fixed point, at its end. */
function shapeOf(film: Buffer): number {
  const header = film.indexOf("tkhd");
  const end = header - 4 + film.readUInt32BE(header - 4);
  return film.readUInt32BE(end - 8) / film.readUInt32BE(end - 4);
}

describe("the sandbox's videos", () => {
  const videos = sandboxVideos();
  const target = { baseUrl: "", secret: "", signal };
  const models = [
    ["sandbox-video-turbo", "720p"],
    ["sandbox-video-plus", "1080p"],
  ] as const;

  test.each(models)("%s makes a small one in each aspect ratio", async (model, resolution) => {
    for (const aspectRatio of aspectRatios) {
      const spec = { model, prompt: "a cat", durationSeconds: 5, resolution, aspectRatio };
      expect(videos.refusal(spec)).toBeNull();
      const submitted = await videos.submit(target, spec, "task-1");
      const ref = submitted.kind === "accepted" ? submitted.ref : "";
      const content = await videos.content?.(target, ref, null);
      const film = Buffer.concat(content?.kind === "file" ? await collectItems(content.body) : []);
      const [width = 0, height = 1] = aspectRatio.split(":").map(Number);
      expect(shapeOf(film)).toBeCloseTo(width / height, 2);
      expect(film.length).toBeLessThan(85_000);
    }
  });
});
