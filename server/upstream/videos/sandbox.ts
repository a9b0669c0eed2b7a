import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@/server/base/clock";
import type { AspectRatio } from "@/server/domain/enums";
import { UpstreamFault } from "../adapter";
import { readByteRange } from "./byte-range";
import {
  outcomeOf,
  readSandboxRef,
  refuseForSandbox,
  type SandboxTask,
  sandboxStateAt,
} from "./sandbox-task";
import type { VideoContent, VideoUpstream } from "./video-upstream";

/**
 * The sandbox's videos: five seconds, H.264, each under 85 kB. They are found, like the migrations, from the project's
 * folder, in which every process runs: `dist/`, the tests and Next's bundle have no other path to them. Made with
 * ffmpeg 5.1:
 *
 *   ffmpeg -f lavfi -i "gradients=s=1280x720:r=24:d=5:c0=0x1d4ed8:c1=0x0f766e:n=2:speed=0.02:seed=1" -vf
 *   "drawtext=font=DejaVu Sans:text='Tollgate
 *   sandbox':fontsize=h/9:fontcolor=white:x=(w-tw)/2:y=(h-th)/2,drawtext=font=DejaVu Sans:text='%{eif\:t+1\:d} /
 *   5':fontsize=h/18:fontcolor=white:x=(w-tw)/2:y=h*0.68" -c:v libx264 -preset veryslow -crf 34 -pix_fmt yuv420p -g
 *   120 -movflags +faststart -fflags +bitexact -flags:v +bitexact -map_metadata -1 sandbox-720p.mp4
 *
 * The other aspect ratios with `-preset medium -crf 36` (1080p: 42) and font sizes by the width (`w/11`, `w/22`).
 */
const films: Record<SandboxTask["resolution"], Record<AspectRatio, () => Promise<Buffer>>> = {
  // The whole path is at the place where it is read: otherwise Next includes every file of the project in the bundle.
  "720p": {
    "16:9": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-720p.mp4")),
    "9:16": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-720p-9x16.mp4")),
    "1:1": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-720p-1x1.mp4")),
    "4:3": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-720p-4x3.mp4")),
    "3:4": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-720p-3x4.mp4")),
  },
  "1080p": {
    "16:9": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-1080p.mp4")),
    "9:16": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-1080p-9x16.mp4")),
    "1:1": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-1080p-1x1.mp4")),
    "4:3": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-1080p-4x3.mp4")),
    "3:4": () => readFile(join(process.cwd(), "server/upstream/videos/sandbox-1080p-3x4.mp4")),
  },
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Throws UpstreamFault `refused` with 416 for a range outside the video. */
function cutFilm(film: Buffer, range: string | null): VideoContent {
  const cut = readByteRange(range, film.length);
  if (cut === null) {
    throw new UpstreamFault("refused", `no bytes of the film in ${range}`, { status: 416 });
  }
  const { start, end } = cut === "whole" ? { start: 0, end: film.length - 1 } : cut;
  const bytes = film.subarray(start, end + 1);
  const headers = {
    "content-type": "video/mp4",
    "content-length": String(bytes.length),
    "accept-ranges": "bytes",
  };
  return cut === "whole"
    ? { kind: "file", status: 200, headers, body: once(bytes) }
    : {
        kind: "file",
        status: 206,
        headers: { ...headers, "content-range": `bytes ${start}-${end}/${film.length}` },
        body: once(bytes),
      };
}

/** Videos of an upstream inside this process, for users without a vendor account. */
export const sandboxVideos = (clock: Clock = systemClock): VideoUpstream => ({
  usualTasks: null,
  refusal: refuseForSandbox,
  submit: async (_target, { prompt, resolution, aspectRatio }, taskId) => {
    const outcome = outcomeOf(prompt);
    if (outcome === "reject" || resolution === "480p") {
      const message = "[reject]";
      return { kind: "refused", fault: "request", code: "content_policy", message };
    }
    const task: SandboxTask = {
      taskId,
      startedAt: clock().getTime(),
      outcome,
      resolution,
      aspectRatio: aspectRatio ?? "16:9",
    };
    return { kind: "accepted", ref: JSON.stringify(task) };
  },
  poll: async (_target, ref) => {
    const task = readSandboxRef(ref);
    return task ? sandboxStateAt(task.outcome, clock().getTime() - task.startedAt) : { kind: "lost" };
  },
  cancel: async (_target, ref) => {
    const task = readSandboxRef(ref);
    if (!task) {
      return "unknown";
    }
    const { kind } = sandboxStateAt(task.outcome, clock().getTime() - task.startedAt);
    return kind === "processing" || kind === "cancelled" ? "cancelled" : "too_late";
  },
  content: async (_target, ref, range) => {
    const task = readSandboxRef(ref);
    if (!task) {
      throw new UpstreamFault("refused", "no such task of the sandbox", { status: 404 });
    }
    return cutFilm(await films[task.resolution][task.aspectRatio](), range);
  },
});
