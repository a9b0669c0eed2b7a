/**
 * What a video vendor can be asked. Adapters never throw: what an answer (or its absence) means for the task and for
 * the money is their result.
 */
import type { AspectRatio, Resolution } from "@/server/base/facts";
import type { Texts } from "@/server/base/language";

/** What the client was quoted for: an adapter asks for exactly this or says that it cannot. */
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
   * `ref`: how this adapter finds the task again, opaque to everyone else; at most 512 characters of visible ASCII.
   */
  | { kind: "accepted"; ref: string }
  /** Nothing was made. `request`: the client's fault, in the vendor's words. `channel`: another one may take it. */
  | { kind: "refused"; fault: "request" | "channel"; code: string; message: string }
  /** It may have been made: the answer is lost. Never asked again. */
  | { kind: "unknown"; message: string };

export type Polled =
  /** `progress`: 0 to 100 where the vendor says one. */
  | { kind: "processing"; progress: number | null; isQueued: boolean }
  /** `isServed`: `content` has the file. Without that and without `url` there is none, or not yet. */
  | { kind: "completed"; url: string | null; isServed: boolean }
  | { kind: "failed"; code: string; message: string }
  | { kind: "cancelled" }
  /** The vendor knows no such task. */
  | { kind: "lost" }
  /** Says nothing about the task: 429, 5xx, silence, an answer that cannot be read. */
  | { kind: "transient"; message: string; retryAfterMs: number | null };

export type VideoContent =
  /** On its way. `status` 200 or 206; headers are those that a player needs. */
  | { kind: "file"; status: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> }
  /** Not of the channel's own origin: the client's to fetch, not ours. */
  | { kind: "elsewhere"; url: string };

export type VideoUpstream = {
  /** Open tasks that a channel takes where its row does not say. null: any number. */
  usualTasks: number | null;
  /** null: it can. Else what it cannot, for the client to read (Chinese). Pure. */
  refusal: (spec: VideoSpec) => Texts | null;
  submit: (target: VideoTarget, spec: VideoSpec, taskId: string) => Promise<Submitted>;
  poll: (target: VideoTarget, ref: string) => Promise<Polled>;
  /**
   * `too_late`: it runs or has ended. `seen`: where it was a moment ago; without it, a vendor whose word depends on
   * that is asked first. Absent: this vendor cannot.
   */
  cancel?: (target: VideoTarget, ref: string, seen?: Polled) => Promise<"cancelled" | "too_late" | "unknown">;
  /**
   * The task that a lost answer may have left behind; null: there is none, or more than one could be it. `taken`:
   * other tasks' references, for the same prompt may have been submitted twice. Absent: this vendor cannot tell.
   */
  find?: (
    target: VideoTarget,
    lost: { spec: VideoSpec; taskId: string; since: Date; taken?: ReadonlySet<string> },
  ) => Promise<string | null>;
  /** The file itself, for vendors who show it to their own key only. `range`: the client's header. */
  content?: (target: VideoTarget, ref: string, range: string | null) => Promise<VideoContent>;
};
