import { Text } from "@mantine/core";
import { type ComponentProps, useState } from "react";
import { FormDialog } from "../_forms/form-dialog";
import { ProofFields } from "./proof-fields";
import type { Proof, Typed } from "./security";

type Props = Omit<ComponentProps<typeof FormDialog>, "change" | "onSubmit" | "children"> & {
  /** The consequences, in plain words. */
  text: string;
  /** false before the second factor is on: then there is only the password. */
  hasCodes?: boolean;
  change: ComponentProps<typeof FormDialog>["change"] & { mutate: (input: { proof: Proof }) => void };
};

/** Confirms a change that a thief of the session must not be able to make. */
export function ProofDialog({ text, hasCodes = true, ...dialog }: Props) {
  const [proof, setProof] = useState<Typed>({ password: "" });
  return (
    <FormDialog {...dialog} noValidate={false} onSubmit={() => dialog.change.mutate({ proof })}>
      <Text size="sm">{text}</Text>
      <ProofFields proof={proof} hasCodes={hasCodes} onChange={setProof} />
    </FormDialog>
  );
}
