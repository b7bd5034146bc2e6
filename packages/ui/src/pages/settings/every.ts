/** No live topic tells of settings, so that what others change is read again this often, in milliseconds. */
export const EVERY = 5_000;
