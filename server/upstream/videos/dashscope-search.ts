/** Finds the task of a lost answer. DashScope accepts no identifier of the gateway's, but lists an account's tasks. */
import { z } from "zod";
import type { Ask } from "./answer";
import { sizeFor } from "./dashscope-spec";
import { readDashscopeTask } from "./dashscope-task";
import { readJson } from "./read-json";
import { isTaskRef } from "./task-ref";
import type { VideoSpec, VideoTarget } from "./video-upstream";

const DashscopeTask = z.looseObject({ task_id: z.string(), gmt_create: z.number().nullish() });
type DashscopeTask = z.infer<typeof DashscopeTask>;

const Page = z.looseObject({
  data: z.array(DashscopeTask),
  total_page: z.number().nullish(),
});

const PAGE_SIZE = 100;
/** Beyond these limits an account has so many tasks that the search would be a guess. */
const MAX_PAGES = 5;
const MAX_CANDIDATES = 40;
/** Wan keeps at least so much of a prompt; it silently cuts the rest. */
const MIN_KEPT_CHARACTERS = 500;

const HOUR_MS = 3_600_000;

/**
 * The window of the list, at most a day long. The documentation does not name the time zone of its digits: with a start
 * nine hours early, the window holds the moment in every zone from UTC-9 to UTC+8, for the hours in which a search
 * makes sense. `gmt_create` decides.
 */
export function searchWindow(since: Date): { start_time: string; end_time: string } {
  const digits = (ms: number) => new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);
  const startMs = since.getTime() - 9 * HOUR_MS;
  return { start_time: digits(startMs), end_time: digits(startMs + 24 * HOUR_MS - 1_000) };
}

/** Whether a task's prompt is the gateway's, perhaps cut by the vendor. */
export function isSamePrompt(kept: string | null | undefined, prompt: string): boolean {
  const [theirs, ours] = [kept?.trim() ?? "", prompt.trim()];
  return theirs === ours || (theirs.length >= MIN_KEPT_CHARACTERS && ours.startsWith(theirs));
}

/** Names for seconds and pixels in a task's usage; an open task has none. Models use different names and types. */
const secondsNames = ["video_duration", "output_video_duration", "duration"];
const sizeNames = ["size", "video_ratio"];
const linesNames = ["SR", "resolution"];

/** Whether a vendor's object contradicts no part of the requested video. */
export function isSameVideo(shown: Record<string, unknown>, spec: VideoSpec): boolean {
  const all = (names: string[], pattern: RegExp) =>
    names.map((name) => String(shown[name] ?? "")).filter((value) => pattern.test(value));
  const size = sizeFor(spec);
  return (
    all(secondsNames, /^\d+(\.\d+)?$/).every((value) => Math.round(Number(value)) === spec.durationSeconds) &&
    all(sizeNames, /^\d+[*x]\d+$/).every((value) => size === null || value.replace("x", "*") === size) &&
    all(linesNames, /^\d+p?$/i).every(
      (value) => Number.parseInt(value, 10) === Number.parseInt(spec.resolution, 10),
    )
  );
}

type Search = { root: string; spec: VideoSpec; since: Date; usedRefs: ReadonlySet<string> };

const Usage = z.looseObject({ usage: z.looseObject({}).nullish() });

/** Tasks of the model since then; null if the list is incomplete. */
async function listCandidates(ask: Ask, target: VideoTarget, search: Search): Promise<string[] | null> {
  const candidates: string[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = new URLSearchParams({
      ...searchWindow(search.since),
      model_name: search.spec.model,
      page_no: String(page),
      page_size: String(PAGE_SIZE),
    });
    const answer = await ask(target, { method: "GET", url: `${search.root}/tasks?${query}` });
    const read = answer.kind === "answered" && answer.status === 200 ? readJson(answer.text, Page) : null;
    if (!read) {
      return null;
    }
    const isCandidate = (row: DashscopeTask) =>
      (row.gmt_create ?? 0) >= search.since.getTime() &&
      !search.usedRefs.has(row.task_id) &&
      isTaskRef(row.task_id) &&
      isSameVideo(row, search.spec);
    candidates.push(...read.data.filter(isCandidate).map((row) => row.task_id));
    if (page >= (read.total_page ?? 1)) {
      return candidates.length <= MAX_CANDIDATES ? [...new Set(candidates)] : null;
    }
  }
  return null;
}

/** The only task with this prompt and form since then; null if there is none, or more than one candidate. */
export async function findDashscopeTask(
  ask: Ask,
  target: VideoTarget,
  search: Search,
): Promise<string | null> {
  const candidates = await listCandidates(ask, target, search);
  const matches: string[] = [];
  for (const ref of candidates ?? []) {
    const answer = await ask(target, {
      method: "GET",
      url: `${search.root}/tasks/${encodeURIComponent(ref)}`,
    });
    const text = answer.kind === "answered" && answer.status === 200 ? answer.text : null;
    const task = readDashscopeTask(text, ref);
    if (!task) {
      return null;
    }
    const usage = readJson(text, Usage)?.usage ?? {};
    if (isSamePrompt(task.orig_prompt, search.spec.prompt) && isSameVideo(usage, search.spec)) {
      matches.push(ref);
    }
  }
  return matches.length === 1 ? (matches[0] ?? null) : null;
}
