/** What the page says. */
export const homeText = {} as const;
