import { afterAll, expect, test } from "vitest";
import { createDispatcher, createUpstreams, type VideoSpec } from "@/server/upstream";
import { perFile } from "@/tests/support/per-file";
import { manualClock, startVideoSimulator } from "../support/video-simulator";

const resolutions = ["480p", "720p", "1080p"] as const;
const aspectRatios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
const clock = manualClock();
const dispatcher = createDispatcher();
const upstreams = createUpstreams(dispatcher);
const simulator = perFile(() => startVideoSimulator({ clock, capacity: 1_000, queueLimit: 1_000 }));
afterAll(async () => {
  await dispatcher.destroy();
});

type Vendor = "dashscope" | "ark" | "openai-video";

function adapterOf(vendor: Vendor) {
  const { videos } = upstreams[vendor];
  if (!videos) {
    throw new Error(`${vendor} has no videos`);
  }
  const signal = AbortSignal.timeout(30_000);
  return { videos, target: { baseUrl: simulator.baseUrls[vendor], secret: simulator.secret, signal } };
}

function* everySpec(model: string): Generator<VideoSpec> {
  for (const durationSeconds of [5, 10, 15]) {
    for (const resolution of resolutions) {
      for (const aspectRatio of [...aspectRatios, null]) {
        const prompt = `${durationSeconds} ${resolution} ${aspectRatio} --dur 3 --rs 480p --ratio 21:9`;
        yield { model, prompt, durationSeconds, resolution, aspectRatio };
      }
    }
  }
}

test.each<[Vendor, string, number]>([
  ["dashscope", "wanx2.1-t2v-turbo", 6],
  ["dashscope", "wan2.2-t2v-plus", 6],
  ["dashscope", "wan2.5-t2v-preview", 12],
  ["dashscope", "wan2.6-t2v", 30],
  ["dashscope", "wan2.7-t2v", 30],
  ["ark", "doubao-seedance-1-0-pro-250528", 36],
  ["ark", "doubao-seedance-1-5-pro-251215", 36],
  ["ark", "doubao-seedance-2-0-260128", 36],
  ["openai-video", "open-video", 18],
])(
  "%s: what the adapter does not refuse for %s, the vendor makes as it was ordered",
  async (vendor, model, least) => {
    const { videos, target } = adapterOf(vendor);
    const specs = [...everySpec(model)].filter((spec) => videos.refusal(spec) === null);
    expect(specs.length).toBeGreaterThanOrEqual(least);
    const before = simulator.ledger.creates().length;
    for (const spec of specs) {
      expect([spec, await videos.submit(target, spec, `task_${before}`)]).toEqual([
        spec,
        { kind: "accepted", ref: expect.any(String) },
      ]);
    }
    const made = simulator.ledger.creates().slice(before);
    expect(made.map(({ seconds, resolution, ratio }) => ({ seconds, resolution, ratio }))).toEqual(
      specs.map(({ durationSeconds, resolution, aspectRatio }) => ({
        seconds: durationSeconds,
        resolution,
        ratio: aspectRatio ?? "16:9",
      })),
    );
  },
);

test.each<[Vendor, string]>([
  ["dashscope", "wanx2.1-t2v-turbo"],
  ["ark", "doubao-seedance-1-0-pro-250528"],
  ["openai-video", "open-video"],
])("%s: an adapter follows a task from the queue to its file", async (vendor, model) => {
  const { videos, target } = adapterOf(vendor);
  const spec = {
    model,
    prompt: "a boat",
    durationSeconds: 5,
    resolution: "720p",
    aspectRatio: null,
  } as const;
  const submitted = await videos.submit(target, spec, "task_1");
  const ref = submitted.kind === "accepted" ? submitted.ref : "";
  expect(await videos.poll(target, ref)).toMatchObject({ kind: "processing", isQueued: true });
  clock.advance(6_000);
  expect(await videos.poll(target, ref)).toMatchObject({ kind: "processing", isQueued: false });
  clock.advance(6_000);
  const polled = await videos.poll(target, ref);
  expect(polled).toMatchObject({ kind: "completed" });
  const content = await videos.content?.(target, ref, null);
  const file = content?.kind === "file" ? content : null;
  expect([polled.kind === "completed" && polled.url !== null, file?.status]).toEqual(
    vendor === "openai-video" ? [false, 200] : [true, undefined],
  );
  if (file) {
    for await (const _chunk of file.body) {
      // Read to its end, so that the connection is free again.
    }
  }
});
