/**
 * The requests to a video vendor. Adapters never throw: they return what an answer (or its absence) means for the task
 * and for the money.
 */

import type { Texts } from "@/server/base/language";
import type { AspectRatio, Resolution } from "@/server/domain/enums";

/** The quoted video: an adapter requests exactly this or refuses. */
export type VideoSpec = {
  /** The upstream's name. */
  model: string;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client leaves it open. */
  aspectRatio: AspectRatio | null;
};

export type VideoTarget = { baseUrl: string; secret: string; signal: AbortSignal };

export type Submitted =
  /**
   * `ref`: how this adapter finds the task again, opaque to all other code; at most 512 characters of visible ASCII.
   */
  | { kind: "accepted"; ref: string }
  /**
   * The vendor made nothing. `request`: the client is at fault, in the vendor's words. `channel`: another channel may
   * take it.
   */
  | { kind: "refused"; fault: "request" | "channel"; code: string; message: string }
  /** The vendor may have made a task: the answer is lost. Never repeated. */
  | { kind: "unknown"; message: string };

export type Polled =
  /** `progress`: 0 to 100, if the vendor reports one. */
  | { kind: "processing"; progress: number | null; isQueued: boolean }
  /** `isServed`: `content` has the file. Without it and without `url` there is no file, or not yet. */
  | { kind: "completed"; url: string | null; isServed: boolean }
  | { kind: "failed"; code: string; message: string }
  | { kind: "cancelled" }
  /** The vendor does not know the task. */
  | { kind: "lost" }
  /** Says nothing about the task: 429, 5xx, silence, an unreadable answer. */
  | { kind: "transient"; message: string; retryAfterMs: number | null };

export type VideoContent =
  /** The open file. `status` is 200 or 206; headers are those that a player needs. */
  | { kind: "file"; status: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> }
  /** Not on the channel's own origin: the client fetches it, not the gateway. */
  | { kind: "elsewhere"; url: string };

export type VideoUpstream = {
  /** The most open tasks of a channel whose row sets no limit. null: any number. */
  usualTasks: number | null;
  /** null: it can. Otherwise the reason for the client (Chinese). Pure. */
  refusal: (spec: VideoSpec) => Texts | null;
  submit: (target: VideoTarget, spec: VideoSpec, taskId: string) => Promise<Submitted>;
  poll: (target: VideoTarget, ref: string) => Promise<Polled>;
  /**
   * `too_late`: it runs or has ended. `state`: its latest known state; without it, the adapter first polls a vendor
   * whose answer depends on the state. Absent: this vendor cannot cancel.
   */
  cancel?: (
    target: VideoTarget,
    ref: string,
    state?: Polled,
  ) => Promise<"cancelled" | "too_late" | "unknown">;
  /**
   * Finds the task of a lost answer; null: there is none, or more than one candidate. `usedRefs`: other tasks' references,
   * since the same prompt may have been submitted twice. Absent: this vendor has no way to search.
   */
  find?: (
    target: VideoTarget,
    lost: { spec: VideoSpec; taskId: string; since: Date; usedRefs?: ReadonlySet<string> },
  ) => Promise<string | null>;
  /** The file itself, for vendors that show it only to their own key. `range`: the client's header. */
  content?: (target: VideoTarget, ref: string, range: string | null) => Promise<VideoContent>;
};
