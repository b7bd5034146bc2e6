/** What the page says. */
export const loginText = {} as const;
