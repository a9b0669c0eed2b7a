import { Tabs } from "@mantine/core";
import { useInstallation } from "../text/installation";
import { CodeBlock } from "./code-block";
import { type Snippet, type SnippetCall, snippetsFor } from "./snippet-templates";

type Props = SnippetCall & {
  /** null: the code reads it from the environment. */
  secret: string | null;
  model: string;
  /** The tab that is open first. */
  initial?: Snippet["id"];
};

/** A call as code, for every client that we document. */
export function Snippets({ initial, ...call }: Props) {
  const { baseUrl, examplesByKind } = useInstallation();
  const snippets = snippetsFor({ ...call, baseUrl, examples: examplesByKind });
  return (
    <Tabs defaultValue={initial ?? "curl"} keepMounted={false}>
      <Tabs.List mb="xs">
        {snippets.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, title, language, code }) => (
        <Tabs.Panel key={id} value={id}>
          <CodeBlock code={code} label={title} language={language} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
