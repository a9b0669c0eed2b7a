/** The lines of a chart whose script is still loading. `height`: in pixels, as the chart's. */
export const ComingChart = ({ height }: { height: number }) => (
  <div aria-hidden className="coming-chart" style={{ height }} />
);
