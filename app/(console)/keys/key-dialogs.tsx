import { onDemand } from "../_components/data/on-demand";
import type { Rotated } from "./key";

const DeleteKey = onDemand(() => import("./delete-key").then((module) => module.DeleteKey));
const DuplicateDialog = onDemand(() => import("./duplicate-dialog").then((module) => module.DuplicateDialog));
const RotateDialog = onDemand(() => import("./rotate-dialog").then((module) => module.RotateDialog));

export type KeyDialog = "rotate" | "duplicate" | "delete";

type Props = {
  entry: Rotated;
  /** The open dialog. */
  dialog: KeyDialog | null;
  /** Returns the focus to the element that opened it. */
  onClose: () => void;
  onDeleted: () => void;
};

/** The dialogs of a key, fetched when first opened. */
export function KeyDialogs({ entry, dialog, onClose, onDeleted }: Props) {
  return (
    <>
      {dialog === "rotate" && <RotateDialog entry={entry} onClose={onClose} />}
      {dialog === "duplicate" && <DuplicateDialog entry={entry} onClose={onClose} />}
      {dialog === "delete" && <DeleteKey entry={entry} onClose={onClose} onDeleted={onDeleted} />}
    </>
  );
}
