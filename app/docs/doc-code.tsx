"use client";

import { CodeBlock } from "@/app/(console)/_components/snippets/code-block";

/** A block of code with a copy button, which needs a browser. */
export const DocCode = ({ code, label }: { code: string; label: string }) => (
  <CodeBlock code={code} label={label} />
);
