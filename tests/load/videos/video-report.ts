import { number, table } from "../tables";
import { type Gaps, ROUND_MS, SLACK_MS } from "./video-looks";
import type { Latency } from "./video-queries";
import type { Phase, VideoCase } from "./videos";

const seconds = (ms: number) => number(ms / 1_000, 2);
const percent = (share: number) => `${number(share * 100, 1)} %`;
const channelsOf = ({ channels }: VideoCase) => String(channels);

function gapRow(name: string, video: VideoCase, { gaps, cpu }: { gaps: Gaps; cpu: string }): string[] {
  const { perSecond, shortest, p50, p95, longest, inTimeShare } = gaps;
  const spread = [shortest, p50, p95, longest].map(seconds);
  return [name, channelsOf(video), number(perSecond, 1), ...spread, percent(inTimeShare), cpu];
}

/** The distance between two looks at one task, in seconds. */
export function gapTable(cases: VideoCase[]): string {
  const rows = cases.flatMap((video) => {
    const phase = ({ gaps, cpuShare }: Phase) => ({ gaps, cpu: percent(cpuShare) });
    return [
      gapRow("first look, after the burst", video, { gaps: video.first, cpu: "—" }),
      gapRow("later looks, worker alone", video, phase(video.alone)),
      gapRow("later looks, with queries", video, phase(video.asked)),
    ];
  });
  const most = `within ${(ROUND_MS + SLACK_MS) / 1_000} s`;
  const head = ["looks", "channels", "a second", "shortest s", "p50 s", "p95 s", "longest s", most, "CPU"];
  return table(head, rows);
}

const latencyRow = (name: string, video: VideoCase, { count, p50, p95, p99 }: Latency) => [
  name,
  channelsOf(video),
  String(count),
  ...[p50, p95, p99].map((ms) => number(ms, 1)),
];

export function queryTable(cases: VideoCase[]): string {
  const rows = cases.flatMap((video) => {
    const { queries } = video.asked;
    return queries
      ? [
          latencyRow("from cache", video, queries.cached),
          latencyRow("waited for the vendor", video, queries.inline),
          latencyRow("all", video, queries.all),
        ]
      : [];
  });
  return table(["status queries", "channels", "count", "p50 ms", "p95 ms", "p99 ms"], rows);
}

export function settleTable(cases: VideoCase[]): string {
  const rows = cases.map((video) => {
    const { queries, looks } = video.asked;
    const inline = (queries?.inline.count ?? 0) / looks;
    return [
      channelsOf(video),
      seconds(video.submitMs),
      percent(inline),
      seconds(video.settleMs),
      `${video.tasks} of ${video.tasks}`,
    ];
  });
  const head = ["channels", "submitted in s", "looks that a query made", "all settled in s", "charged once"];
  return table(head, rows);
}
