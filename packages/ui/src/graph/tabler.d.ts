/** The drawings behind the icon components, which the package ships without types. */
declare module '@tabler/icons-react/dist/esm/icons/*' {
  export const __iconNode: readonly (readonly [string, Readonly<Record<string, string>>])[];
}
