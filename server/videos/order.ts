import type { AspectRatio, Resolution, TaskState } from "@/server/base/facts";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";

/** A submission as validated (spec 4.5). */
export type VideoOrder = {
  accountId: AccountId;
  keyId: KeyId;
  /** What the key may spend in a month, in nano-units. null: whatever the account has. */
  keyCap: Nanos | null;
  modelId: string;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client leaves it open. */
  aspectRatio: AspectRatio | null;
  /** The client's `Idempotency-Key`, and a hash of the body that it came with. */
  idempotency: { key: string; bodyHash: string } | null;
};

/** A task as its owner and operators may see it. Money in nano-units. */
export type TaskView = {
  id: TaskId;
  accountId: AccountId;
  keyId: KeyId;
  modelId: string;
  prompt: string;
  durationSeconds: number;
  resolution: string;
  aspectRatio: string | null;
  /** `submitting` is `processing` to clients. */
  state: TaskState;
  progress: number;
  error: { code: string; message: string } | null;
  /** null while not completed, and for files that `content` serves. */
  videoUrl: string | null;
  price: Nanos;
  createdAt: Date;
  deadlineAt: Date;
  completedAt: Date | null;
  endedAt: Date | null;
  channelId: ChannelId | null;
  /** What the upstream said after the end: the operator's loss. */
  lateResult: string | null;
};
