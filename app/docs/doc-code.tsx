"use client";

import { Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { CodeBlock } from "@/app/(console)/_components/snippets/code-block";
import type { Example } from "./examples";
import { usesKey, withKey } from "./reader-key";
import { Trial } from "./trial-panel";
import { useReaderKey } from "./use-reader-key";

const titles: Record<string, string> = { sh: "curl", python: "Python", ts: "TypeScript", go: "Go" };

function Code({ example: { code, language }, label }: { example: Example; label: string }) {
  const filled = withKey(code, language, useReaderKey());
  return (
    <div className="doc-example">
      <CodeBlock code={filled} label={label} language={language} />
      {usesKey(code, language) && <Trial code={filled} />}
    </div>
  );
}

/** An example with a copy button, in every language that the page has it in. The reader's choice holds for all pages. */
export function DocCode({ examples, label }: { examples: Example[]; label: string }) {
  const [first] = examples;
  const [chosen, choose] = useLocalStorage({ key: "docs-language", defaultValue: first?.language ?? "" });
  if (!first) {
    return null;
  }
  if (examples.length === 1) {
    return <Code example={first} label={label} />;
  }
  const selected = examples.some(({ language }) => language === chosen) ? chosen : first.language;
  return (
    <Tabs
      value={selected}
      onChange={(language) => choose(language ?? "")}
      keepMounted={false}
      className="doc-tabs"
    >
      <Tabs.List>
        {examples.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {titles[language]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map((example) => (
        <Tabs.Panel key={example.language} value={example.language}>
          <Code example={example} label={`${label}: ${titles[example.language]}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
