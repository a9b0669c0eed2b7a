/** A text as far as its pieces have come: its length and its hash, but not the text, which nothing here keeps. */
export class GrownText {
  length = 0;
  private hash = 0;

  read(piece: string): void {
    this.length += piece.length;
    this.hash = hashOf(piece, this.hash);
  }

  /** The part of a whole text that has not come. "": all has, or the pieces were of another text. */
  restOf(whole: string): string {
    const isLonger = whole.length > this.length;
    return isLonger && hashOf(whole.slice(0, this.length), 0) === this.hash ? whole.slice(this.length) : "";
  }
}

function hashOf(text: string, before: number): number {
  let hash = before;
  for (let place = 0; place < text.length; place++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(place)) | 0;
  }
  return hash;
}
