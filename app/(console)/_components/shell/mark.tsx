/** The product's mark, a barrier that opens, in the colour of the text around it; app/icon.svg is its tile. */
export const Mark = () => (
  <svg width={22} height={22} viewBox="0 0 32 32" aria-hidden className="mark">
    <path
      d="M9 27V13M26 27v-9M3 17l26-9"
      fill="none"
      stroke="currentColor"
      strokeWidth="4"
      strokeLinecap="round"
    />
  </svg>
);
