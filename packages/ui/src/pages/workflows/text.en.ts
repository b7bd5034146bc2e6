/** What the page says. */
export const workflowsText = {} as const;
