import { useState } from "react";
import type { ModelDetail } from "../catalog";
import { draftOf } from "../model-draft";
import { ModelEditor } from "../model-editor";

/** The form of a model that exists. */
export function StoredEditor({ model, onSaved }: { model: ModelDetail; onSaved: () => void }) {
  const [before] = useState(() => draftOf(model));
  return <ModelEditor before={before} isNew={false} onSaved={onSaved} />;
}
