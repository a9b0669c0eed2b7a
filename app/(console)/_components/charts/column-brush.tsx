import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { boundsOf, type ColumnRange, columnAt, isInPlot, moved, type Plot } from "./column-range";

/** `inset`: how far the plot is from the left edge of the brush. */
type PlotInBrush = Plot & { inset: number };

/** Where the chart in a brush draws its columns; null: it has drawn nothing. */
function plotIn(brush: Element): PlotInBrush | null {
  const box = brush.querySelector(".recharts-cartesian-grid")?.getBoundingClientRect();
  return box && box.width > 0
    ? { left: box.left, width: box.width, inset: box.left - brush.getBoundingClientRect().left }
    : null;
}

/** The pressed place of a pointer; `isDragged`: it has left its column since then. */
type Press = { plot: PlotInBrush; anchor: number; isDragged: boolean };
type Marked = { range: ColumnRange; plot: PlotInBrush };

type Props = {
  /** How many columns the chart has. */
  count: number;
  /** Says which columns are marked, and their sum. */
  textOf: (first: number, last: number) => string;
  onChoose: (first: number, last: number) => void;
  children: ReactNode;
};

type Changes = { onMark: (marked: Marked | null) => void; onChoose: (range: ColumnRange) => void };

/** The handlers for a mouse, a pen or a finger: a click chooses the column below it, a drag marks and chooses several. */
function usePointer(count: number, { onMark, onChoose }: Changes) {
  const press = useRef<Press | null>(null);
  const cancel = () => {
    press.current = null;
    onMark(null);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    const plot = plotIn(event.currentTarget);
    if (event.isPrimary && event.button === 0 && plot && isInPlot(event.clientX, plot)) {
      press.current = { plot, anchor: columnAt(event.clientX, plot, count), isDragged: false };
    }
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = press.current;
    if (from === null || event.buttons === 0) {
      // A button that was released elsewhere chooses nothing.
      press.current = null;
      return;
    }
    const end = columnAt(event.clientX, from.plot, count);
    if (!from.isDragged && end !== from.anchor) {
      // The drag goes on outside, and the chart shows no card of a column meanwhile.
      event.currentTarget.setPointerCapture(event.pointerId);
      from.isDragged = true;
    }
    if (from.isDragged) {
      onMark({ range: { anchor: from.anchor, end }, plot: from.plot });
    }
  };
  const onPointerUp = (event: PointerEvent<HTMLDivElement>) => {
    const from = press.current;
    const end = from && columnAt(event.clientX, from.plot, count);
    cancel();
    // A person who drags back to the first column has changed their mind.
    if (from && end !== null && (!from.isDragged || end !== from.anchor)) {
      onChoose({ anchor: from.anchor, end });
    }
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: cancel };
}

/** The marked columns over the chart, and their sum. */
function Band({ range, plot, count, text }: Marked & { count: number; text: string }) {
  const { first, last } = boundsOf(range);
  const step = plot.width / count;
  return (
    <>
      <div
        className="brush-band"
        style={{ left: plot.inset + first * step, width: (last - first + 1) * step }}
      />
      <div aria-hidden className="brush-text">
        {text}
      </div>
    </>
  );
}

/**
 * Marks columns of a chart: a click chooses one, dragging chooses several. With the keyboard it is a slider, whose
 * arrow keys move; with Shift they mark several columns, and Enter chooses them. Vertical swipes scroll the page.
 */
export function ColumnBrush({ count, textOf, onChoose, children }: Props) {
  const t = useTranslations("common");
  const brush = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<Marked | null>(null);
  const range = marked?.range ?? { anchor: count - 1, end: count - 1 };
  const { first, last } = boundsOf(range);
  const text = textOf(first, last);
  const mark = (next: ColumnRange) => {
    const plot = brush.current && plotIn(brush.current);
    setMarked(plot && { range: next, plot });
  };
  const choose = (chosen: ColumnRange) => {
    const bounds = boundsOf(chosen);
    setMarked(null);
    onChoose(bounds.first, bounds.last);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(range, event.key, { isWider: event.shiftKey, count });
    if (next) {
      mark(next);
    } else if (event.key === "Enter") {
      choose(range);
    } else if (event.key === "Escape") {
      mark({ anchor: range.end, end: range.end });
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div ref={brush} className="brush" {...usePointer(count, { onMark: setMarked, onChoose: choose })}>
      {children}
      {marked && <Band {...marked} count={count} text={text} />}
      {/* Only for the keyboard: pointers reach the chart below it. */}
      <div
        role="slider"
        tabIndex={0}
        className="brush-keys"
        aria-label={t("brush")}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={range.end + 1}
        aria-valuetext={text}
        onFocus={() => mark(range)}
        onBlur={() => setMarked(null)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
