import type { Answer, AnswerBlock, AnswerEvent, BlockHead } from "@/server/protocol/pivot/answer";

function textOfBlock(block: AnswerBlock): string {
  if (block.type === "redacted") {
    return "";
  }
  return block.type === "call" ? block.arguments : block.text;
}

function headOf(block: AnswerBlock): BlockHead {
  switch (block.type) {
    case "call":
      return { type: "call", id: block.id, name: block.name };
    case "redacted":
      return block;
    case "thinking":
      return { type: "thinking" };
    default:
      return { type: block.type };
  }
}

/** The events by which an answer comes, its texts cut in two. */
export function eventsOf({ id, blocks, stop }: Answer): AnswerEvent[] {
  const said = blocks.flatMap((block, index): AnswerEvent[] => {
    const text = textOfBlock(block);
    const middle = Math.ceil(text.length / 2);
    const grown = [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
    const seal = block.type === "thinking" ? block.seal : null;
    return [
      { type: "open", index, block: headOf(block) },
      ...grown.map((part) => ({ type: "grow" as const, index, text: part })),
      ...(seal ? [{ type: "seal" as const, index, seal }] : []),
      { type: "close", index },
    ];
  });
  return [{ type: "start", id }, ...said, { type: "stop", ...stop }];
}
