import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { getTranslator } from "@/app/_i18n/server";
import { Prefetch } from "../_components/prefetch";
import { requireViewer } from "../require-viewer";
import { keyList, keyParsers } from "./key-list";
import { KeysScreen } from "./keys-screen";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("shell.keys") };
}

const load = createLoader(keyParsers);

type Props = { searchParams: Promise<SearchParams> };

export default async function KeysPage({ searchParams }: Props) {
  await requireViewer("owner");
  const filter = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [keyList(trpc, filter)]}>
      <KeysScreen />
    </Prefetch>
  );
}
