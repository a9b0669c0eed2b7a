/** The task that a lost answer may have left behind. DashScope takes no key of ours, but lists an account's tasks. */
import { z } from "zod";
import type { Ask } from "./answer";
import { sizeFor } from "./dashscope-spec";
import { readDashscopeTask } from "./dashscope-task";
import { readJson } from "./read-json";
import { isTaskRef } from "./task-ref";
import type { VideoSpec, VideoTarget } from "./video-upstream";

const Row = z.looseObject({ task_id: z.string(), gmt_create: z.number().nullish() });
type Row = z.infer<typeof Row>;

const Page = z.looseObject({
  data: z.array(Row),
  total_page: z.number().nullish(),
});

const PAGE_SIZE = 100;
/** Beyond these an account is so busy that a guess would be one. */
const MAX_PAGES = 5;
const MAX_CANDIDATES = 40;
/** What Wan keeps of a prompt at least; the rest is cut without a word. */
const MIN_KEPT_CHARACTERS = 500;

const HOUR_MS = 3_600_000;

/**
 * The list's window, at most a day long. The documentation does not say in which zone its digits are: from nine hours
 * early it holds the moment in every zone from UTC-9 to UTC+8, for the hours in which anyone would look. `gmt_create`
 * decides.
 */
export function searchWindow(since: Date): { start_time: string; end_time: string } {
  const digits = (ms: number) => new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);
  const startMs = since.getTime() - 9 * HOUR_MS;
  return { start_time: digits(startMs), end_time: digits(startMs + 24 * HOUR_MS - 1_000) };
}

/** Whether a task's prompt is ours, perhaps cut short by the vendor. */
export function isSamePrompt(kept: string | null | undefined, prompt: string): boolean {
  const [theirs, ours] = [kept?.trim() ?? "", prompt.trim()];
  return theirs === ours || (theirs.length >= MIN_KEPT_CHARACTERS && ours.startsWith(theirs));
}

/** What a task's usage calls its seconds and its pixels; an open task has none. Models differ, and so do its types. */
const secondsNames = ["video_duration", "output_video_duration", "duration"];
const sizeNames = ["size", "video_ratio"];
const linesNames = ["SR", "resolution"];

/** Whether nothing that a vendor's object shows of its video is unlike what was asked for. */
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

type Search = { root: string; spec: VideoSpec; since: Date; taken: ReadonlySet<string> };

const Usage = z.looseObject({ usage: z.looseObject({}).nullish() });

/** Tasks of the model since then; null when the list cannot be had whole. */
async function listCandidates(ask: Ask, target: VideoTarget, search: Search): Promise<string[] | null> {
  const found: string[] = [];
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
    const isCandidate = (row: Row) =>
      (row.gmt_create ?? 0) >= search.since.getTime() &&
      !search.taken.has(row.task_id) &&
      isTaskRef(row.task_id) &&
      isSameVideo(row, search.spec);
    found.push(...read.data.filter(isCandidate).map((row) => row.task_id));
    if (page >= (read.total_page ?? 1)) {
      return found.length <= MAX_CANDIDATES ? [...new Set(found)] : null;
    }
  }
  return null;
}

/** The one task of this prompt and form since then; null when there is none, or when more than one could be it. */
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
