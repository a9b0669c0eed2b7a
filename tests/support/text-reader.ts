export type TextReader = ReturnType<typeof textReader>;

export function textReader(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const readWhile = async (isWaiting: () => boolean) => {
    while (isWaiting()) {
      const next = await reader?.read();
      if (!next || next.done) {
        break;
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text;
  };
  return {
    /** Returns the whole text once the word has come `times` times, or the answer has ended. */
    until: (word: string, times = 1) => readWhile(() => text.split(word).length <= times),
    rest: () => readWhile(() => true),
    leave: async () => reader?.cancel(),
  };
}
