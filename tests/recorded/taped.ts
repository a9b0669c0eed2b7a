/** `fetch` of clients that read one and the same answer: the first makes the call, and the others are given its bytes. */
export type Taped = {
  fetch: typeof fetch;
  /** The answer once more. Throws where there was no call. */
  again: () => Promise<Response>;
};

export function createTaped(): Taped {
  let taped: { init: ResponseInit; body: Promise<ArrayBuffer> } | null = null;
  const again = async (): Promise<Response> => {
    if (taped === null) {
      throw new Error("nothing has been asked yet");
    }
    return new Response(await taped.body, taped.init);
  };
  return {
    again,
    fetch: async (input, init) => {
      if (taped !== null) {
        return await again();
      }
      // Without the client's signal: one that has read enough must not cut off what the others read.
      const live = await fetch(input, { ...init, signal: null });
      const { status, headers } = live;
      taped = { init: { status, headers }, body: live.clone().arrayBuffer() };
      return live;
    },
  };
}
