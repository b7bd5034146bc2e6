/** The sign of Orrery: a sun, an orbit and two planets. */
export function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeWidth="2">
        <ellipse cx="16" cy="16" rx="13.5" ry="6" transform="rotate(-28 16 16)" />
        <circle cx="16" cy="16" r="9" opacity="0.4" />
      </g>
      <circle cx="16" cy="16" r="4" fill="var(--waiting-fill)" />
      <circle cx="27" cy="8.6" r="2.6" fill="var(--success-fill)" />
      <circle cx="8.4" cy="20.8" r="2.2" fill="var(--running-fill)" />
    </svg>
  );
}
