"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { addresses } from "@/app/addresses";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { ChannelEditor } from "../lazy-editor";

export function NewChannelScreen() {
  const router = useRouter();
  const choices = useQuery(useTRPC().channels.choices.queryOptions());
  return choices.data ? (
    <ChannelEditor channel={null} choices={choices.data} onSaved={() => router.push(addresses.channels())} />
  ) : (
    <QueryState query={choices} lines={8} />
  );
}
