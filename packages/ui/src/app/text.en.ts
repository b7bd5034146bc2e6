/** What the shell says. */
export const shellText = {
  'search.dropped': 'Dropped from the address, because it does not fit: {names}',
} as const;
